// PlanNet makes a worker's part of a net.
#pragma once

#include "nn/plan/net_memory.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
#include "train/trainer/worker_place.h"

namespace singa {

// Returns a worker's part of the net of one phase, planned. Throws the first ConfigError.
Net PlanNet(const JobProto& job, Phase phase, const WorkerPlace& place, ParamTable* params,
            const Algorithm& algorithm, Context* ctx, NetMemory* memory);

}  // namespace singa
