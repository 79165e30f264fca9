// PlanNet makes a worker's part of a net.
#pragma once

#include <memory>

#include "nn/plan/net_memory.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
#include "train/trainer/worker_place.h"

namespace singa {

// Returns a worker's part of the net of one phase, planned. Throws the first ConfigError.
Net PlanNet(const JobProto& job, Phase phase, const WorkerPlace& place, ParamTable* params,
            const Algorithm& algorithm, Context* ctx, NetMemory* memory);

// Makes the algorithm of a job that only tests: kBP if it names none.
std::unique_ptr<Algorithm> TestAlgorithm(const JobProto& job);

}  // namespace singa
