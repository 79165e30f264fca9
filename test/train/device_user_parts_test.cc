// Tests a user's updater and a user's algorithm, which know nothing of devices, in a job with
// layers on a device. They train to the bytes of the CPU. The device is emulated.
#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/device_training.h"

namespace singa::device_trainer {
namespace user_parts {

class HostSgd final : public Updater {
 public:
  std::vector<std::string> states() const override { return {"seen"}; }
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    EXPECT_EQ(ctx.stream, nullptr);
    for (int64_t i = 0; i < n; ++i) {
      states[0][i] += g[i] * g[i];
      w[i] -= step.lr * g[i] / (1 + states[0][i]);
    }
  }
};
SINGA_REGISTER_UPDATER(HostSgd, HostSgd);

// TwoBackwardPasses adds two gradients of the same batch. It announces the params in their own
// order when all are whole.
class TwoBackwardPasses final : public Algorithm {
 public:
  void TrainOneBatch(Context& ctx, Net& net, ParamExchange& exchange) override {
    const int64_t step = ctx.state->step;
    net.BeginStep();
    for (int pass = 0; pass < 2; ++pass) {
      for (NetNode& node : net.nodes()) {
        for (Param* param : node.declared().params) exchange.Await(param, step);
        if (pass == 0 || !node.wiring.is_input)
          net.ComputeFeature(ctx, node, static_cast<Phase>(kTrain | kForward));
      }
      for (auto node = net.nodes().rbegin(); node != net.nodes().rend(); ++node)
        net.ComputeGradient(ctx, *node);
    }
    for (NetNode& node : net.nodes())
      for (Param* param : node.completes) exchange.GradientReady(param, step);
    exchange.Finish(step);
  }
};
SINGA_REGISTER_ALGORITHM(TwoBackwardPasses, TwoBackwardPasses);

class DeviceUserParts : public DeviceTrainer {};

TEST_F(DeviceUserParts, AnUpdaterOfTheHostUpdatesThere) {
  JobProto job = Job(Convnet(""));
  job.mutable_updater()->clear_type();
  job.mutable_updater()->set_user_type("HostSgd");
  const Trained on_device = Train(job, true);
  ExpectSame(on_device, Train(job, false));
  EXPECT_EQ(on_device.replays, 0);
}

TEST_F(DeviceUserParts, AnAlgorithmOfAnotherOrderRuns) {
  JobProto job = Job(Convnet(""));
  job.mutable_train_one_batch()->set_user_alg("TwoBackwardPasses");
  const Trained on_device = Train(job, true);
  ExpectSame(on_device, Train(job, false));
  EXPECT_EQ(on_device.replays, 0);
  EXPECT_NE(on_device.params, Train(Job(Convnet("")), true).params);
}

// The gradients are not scaled, because nobody knows where they begin.
TEST_F(DeviceUserParts, NorAreItsLossesScaledInFloat16) {
  JobProto job = Job(Convnet(""));
  job.mutable_train_one_batch()->set_user_alg("TwoBackwardPasses");
  job.set_precision(JobProto::kFloat16);
  job.add_gpu(0);
  Trainer trainer(job, 1);
  EXPECT_EQ(trainer.loss_scale(), nullptr);
}

}  // namespace user_parts
}  // namespace singa::device_trainer
