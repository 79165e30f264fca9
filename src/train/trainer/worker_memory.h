// Counts the memory that one worker needs, before anything is allocated.
#pragma once

#include <vector>

#include "nn/plan/net_memory.h"
#include "singa/nn/net.h"
#include "singa/proto/cluster.pb.h"
#include "train/reduce/piece_plan.h"
#include "train/reduce/trained_params.h"
#include "train/trainer/job_memory.h"
#include "train/trainer/worker_place.h"

namespace singa {

struct CountedWorker {
  const WorkerPlace& place;
  const ParamTable& params;
  const TrainedParams& trained;
  const PiecePlan& pieces;
  int64_t states;                // tensors of updater state of each param
  const NetMemory& memory;       // of the nets of all phases
  std::vector<const Net*> nets;  // of all phases
  int64_t workspace;             // bytes of the stream's workspace
  bool on_device;                // layers compute on a device
  bool updates_on_device;
  const AllReduceProto& all_reduce;
};

JobMemory CountMemory(const CountedWorker& worker);

}  // namespace singa
