// Tests the parts of UpdateRule for devices.
#include "train/apply/update_rule.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "singa/base/error.h"

namespace singa::update_rule {
namespace {

JobProto JobOf(const std::string& updater) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "updater { " + updater + " learning_rate { type: kStep base_lr: 0.5 " +
          "step_conf { gamma: 0.1 change_freq: 5 } } }",
      &job));
  return job;
}

TEST(UpdateRuleTest, TellsDevicesTheStepThatItAppliesOnTheHost) {
  const UpdateRule rule(JobOf("type: kAdam weight_decay: 0.25"));
  ASSERT_TRUE(rule.on_device());
  const ParamScale scale = {.lr = 2, .wd = 3};
  const float g = 0.375f;
  float w = 1.5f, m = 0.125f, v = 0.5f, device_w = w, device_m = m, device_v = v;
  Context ctx;
  rule.Apply(ctx, scale, 7, 4, &w, &g, std::vector<float*>{&m, &v}, 1);

  std::vector<int64_t> step(rule.step_bytes() / 8);
  rule.Prepare(scale, 7, 4, step.data());
  const UpdatePiece piece = {&device_w, &g, {&device_m, &device_v}, 1, 0};
  rule.ApplyAll(ctx, {step.data(), &piece, 1, 1, nullptr});
  EXPECT_EQ(device_w, w);
  EXPECT_EQ(device_m, m);
  EXPECT_EQ(device_v, v);
  EXPECT_NE(w, 1.5f);
}

// The formula of torch.optim.swa_utils.get_ema_multi_avg_fn, in float64.
TEST(UpdateRuleTest, AveragesTheUpdatedValuesFromTheFirstOn) {
  JobProto job = JobOf("type: kSGD momentum: 0.5");
  job.set_ema_decay(0.875);
  const UpdateRule rule(job);
  EXPECT_EQ(rule.states(), (std::vector<std::string>{"momentum", "ema_decay"}));
  float w = 1.5f, momentum = 0, average = 0;
  double expected = 0;
  Context ctx;
  for (int step = 0; step < 20; ++step) {
    const float g = 0.25f * w - 0.125f;
    rule.Apply(ctx, {}, step, step + 1, &w, &g, std::vector<float*>{&momentum, &average}, 1);
    expected = step == 0 ? double{w} : 0.875 * expected + 0.125 * double{w};
    EXPECT_NEAR(average, expected, 1e-6) << "step " << step;
  }
  EXPECT_GT(std::abs(average - w), 1e-3);
}

TEST(UpdateRuleTest, AveragesOnDevicesAsOnTheHost) {
  JobProto job = JobOf("type: kSGD");
  job.set_ema_decay(0.75);
  const UpdateRule rule(job);
  const float g = 0.5f;
  float w = 1, average = 0, device_w = 1, device_average = 0;
  Context ctx;
  for (int count = 1; count <= 3; ++count) {
    rule.Apply(ctx, {}, 0, count, &w, &g, std::vector<float*>{&average}, 1);
    std::vector<int64_t> step(rule.step_bytes() / 8), share(rule.average_bytes() / 8);
    rule.Prepare({}, 0, count, step.data());
    rule.PrepareAverage(count, share.data());
    const UpdatePiece piece = {&device_w, &g, {}, 1, 0};
    const UpdatePiece averaged = {&device_w, &device_w, {&device_average}, 1, 0};
    rule.ApplyAll(ctx, {step.data(), &piece, 1, 1, nullptr});
    rule.ApplyAverages(ctx, {share.data(), &averaged, 1, 1, nullptr});
    EXPECT_EQ(device_average, average);
  }
}

class HostUpdater final : public Updater {
 public:
  void Update(Context&, const UpdateStep&, float*, const float*, std::span<float* const>,
              int64_t) override {}
};
SINGA_REGISTER_UPDATER(HostUpdater, HostUpdater);

TEST(UpdateRuleTest, LeavesARuleThatHasOnlyUpdateToTheHost) {
  EXPECT_FALSE(UpdateRule(JobOf("user_type: 'HostUpdater'")).on_device());
}

class ThreeStatesUpdater final : public Updater {
 public:
  std::vector<std::string> states() const override { return {"a", "b", "c"}; }
  void Update(Context&, const UpdateStep&, float*, const float*, std::span<float* const>,
              int64_t) override {}
  int64_t step_bytes() const override { return 8; }
};
SINGA_REGISTER_UPDATER(ThreeStatesUpdater, ThreeStatesUpdater);

TEST(UpdateRuleTest, RefusesMoreStatesThanAPieceHas) {
  try {
    const UpdateRule rule(JobOf("user_type: 'ThreeStatesUpdater'"));
    ADD_FAILURE() << "it takes three states";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "updater.user_type: may have at most 2 states, has 3");
  }
}

}  // namespace
}  // namespace singa::update_rule
