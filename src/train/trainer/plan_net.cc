#include "train/trainer/plan_net.h"

#include "nn/plan/net_builder.h"
#include "nn/plan/prepare_net.h"
#include "singa/base/error.h"

namespace singa {

Net PlanNet(const JobProto& job, Phase phase, const WorkerPlace& place, ParamTable* params,
            const Algorithm& algorithm, Context* ctx, NetMemory* memory) {
  NetOptions options;
  options.phase = phase;
  options.parts = place.workers;
  options.worker = place.worker;
  options.gpus_exchange = place.gpus.has_value();
  options.group = place.group;
  options.groups = place.groups;
  options.gradients = phase == kTrain;
  options.reuse = algorithm.forward_backward() && !(phase == kTrain && job.debug());
  Net net = BuildNet(job.neuralnet(), options, params);
  try {
    *memory = PrepareNet(*ctx, &net);
  } catch (const ConfigError& error) {
    throw error.Under("neuralnet");
  }
  return net;
}

std::unique_ptr<Algorithm> TestAlgorithm(const JobProto& job) {
  AlgProto alg = job.train_one_batch();
  if (!alg.has_alg() && !alg.has_user_alg()) alg.set_alg(kBP);
  return MakeAlgorithm(alg);
}

}  // namespace singa
