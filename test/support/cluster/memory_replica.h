// MemoryReplica is the Replica of params whose values lie in given memory.
#pragma once

#include <memory>
#include <vector>

#include "cluster/client/model_gather.h"
#include "cluster/protocol/served_param.h"
#include "train/apply/replica.h"

namespace singa {

struct MemoryReplica {
  // `served`: the params that the table was made of; `memory`: of each; `slices`: first values and
  // states, or empty.
  MemoryReplica(const JobProto& job, const SliceTable& table,
                const std::vector<ServedParam>& served, const std::vector<float*>& memory,
                const std::vector<SliceState>& slices = {})
      : replica(job) {
    std::vector<Param*> all;
    for (size_t p = 0; p < memory.size(); ++p) {
      ParamProto conf;
      conf.set_lr_scale(served[p].scale.lr);
      conf.set_wd_scale(served[p].scale.wd);
      const Shape shape({table.size_of(static_cast<int>(p))});
      params.push_back(std::make_unique<Param>(served[p].name, served[p].layer, "", conf, shape));
      all.push_back(params.back().get());
      all.back()->data.SetShape(shape);
      all.back()->data.Bind(memory[p]);
    }
    replica.Attach(table, all);
    for (size_t s = 0; s < slices.size(); ++s)
      replica.SetFloats(static_cast<int>(s), slices[s].count, slices[s].floats);
  }

  std::vector<std::unique_ptr<Param>> params;
  Replica replica;
};

}  // namespace singa
