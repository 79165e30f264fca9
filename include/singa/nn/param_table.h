// ParamTable has the params of one worker by conf name. Its nets of all phases share them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/api.h"
#include "singa/nn/param.h"
#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"

namespace singa {

class SINGA_API ParamTable {
 public:
  // Returns the param at position `index` of `layer`, made at its first use. Follows share_from.
  // `init` is the default of `layer`, as in Declare::Param; it has no effect on a param that
  // `layer` shares from another. `own`, if not null, are the rows of the param that this worker
  // has. Errors quote `path`, the layer's, and `net`, such as "kTest, where layer[data] gives (1,
  // 8, 8)". Throws ConfigError relative to the ParamProto: shape mismatch, unknown share_from.
  Param* Get(const LayerProto& layer, const std::string& path, int index, const Shape& shape,
             const ParamGenProto& init = {}, const std::string& net = "",
             const UnitSpan* own = nullptr);

  // Announces a named param before the Setup of all layers, as share_from may name a param of a
  // later layer. `path` is where the conf has the param.
  void Expect(const ParamProto& conf, const std::string& layer, const std::string& path);

  // Sets factors for the params that Get makes from now on, by patterns of their names.
  void ScaleBy(std::vector<ParamScaleProto> scales) { scales_ = std::move(scales); }

  const std::vector<std::unique_ptr<Param>>& params() const { return params_; }
  Param* Find(const std::string& name) const;  // null: none
  // Returns whether workers divide layers by units or in grids, so that the gradients of some
  // params do not come from all workers.
  bool divided() const;
  // Returns a table of the whole params, without memory. This table may have parts of them.
  ParamTable Wholes() const;

 private:
  struct Expected {
    std::string name;
    ParamProto conf;
    std::string layer, path;
  };
  Expected Described(const LayerProto& layer, const std::string& path, int index) const;
  std::vector<std::unique_ptr<Param>> params_;  // in the order of their first use
  std::map<std::string, Expected> expected_;
  std::vector<ParamScaleProto> scales_;
  std::map<std::string, std::string> nets_;  // net of each param's first use, by the param's name
};

}  // namespace singa
