// Tests `singa bench` with a clock that the layers and updates of the test move.
#include "driver/timing/step_timer.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "singa/base/str_cat.h"
#include "support/driver/work_clock.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

constexpr int kForwardMs = 5, kBackwardMs = 7, kUpdateMs = 3, kWaitMs = 3;

using TakesTime = WorkLayer<kForwardMs, kBackwardMs>;
SINGA_REGISTER_LAYER(TakesTime, TakesTime);
using Waits = WaitingReader<kWaitMs>;
SINGA_REGISTER_LAYER(StepTimerWaits, Waits);

class UpdateTakesTime final : public Updater {
 public:
  void Update(Context&, const UpdateStep&, float*, const float*, std::span<float* const>,
              int64_t) override {
    WorkClock::Take(kUpdateMs);
  }
};
SINGA_REGISTER_UPDATER(UpdateTakesTime, UpdateTakesTime);

// "large" has too many values for a gradient that is stored whole.
JobProto Job(const std::string& updater) {
  JobProto job;
  const std::string text = StrCat(R"(
    train_steps: 9 train_one_batch { alg: kBP }
    updater { user_type: "UpdateTakesTime" learning_rate { type: kFixed base_lr: 0.1 } )",
                                  updater, R"( }
    neuralnet {
      layer { name: "data" user_type: "StepTimerWaits" dummy_conf { shape: 2 shape: 500 } }
      layer { name: "small" type: kInnerProduct srclayers: "data"
              innerproduct_conf { num_output: 3 bias_term: false }
              param { name: "s" init { type: kUniform } } }
      layer { name: "work" user_type: "TakesTime" srclayers: "small" }
      layer { name: "large" type: kInnerProduct srclayers: "work"
              innerproduct_conf { num_output: 100000 bias_term: false }
              param { name: "l" init { type: kUniform } } }
      layer { name: "end" type: kDummy srclayers: "large" dummy_conf { output: true } }
    })");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

class StepTimerTest : public ::testing::Test {
 protected:
  // Runs two steps of a job. The functions below report the second one.
  void Run(const std::string& updater, bool takes_waits = true) {
    trainer_ = std::make_unique<Trainer>(Job(updater), 1);
    trainer_->Allocate();
    InitParams(trainer_->model().ctx(), {}, &trainer_->model().params());
    timer_ = std::make_unique<StepTimer>(trainer_.get(), &clock_, takes_waits);
    timer_->Step(0);
    step_ms_ = timer_->Step(1);
  }

  const LayerTimes& Of(const std::string& layer) const {
    const auto& nodes = trainer_->model().net().nodes();
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].full_name == layer) return timer_->layers()[i];
    ADD_FAILURE() << "no layer " << layer;
    return timer_->layers()[0];
  }

  WorkClock clock_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<StepTimer> timer_;
  double step_ms_ = 0;
};

TEST_F(StepTimerTest, GivesEachLayerItsOwnTime) {
  Run("");
  EXPECT_EQ(Of("work").forward, kForwardMs);
  EXPECT_EQ(Of("work").backward, kBackwardMs);
  EXPECT_EQ(Of("work").update, 0);
  EXPECT_EQ(Of("small").forward, 0);
  EXPECT_EQ(Of("small").backward, 0);
}

TEST_F(StepTimerTest, GivesTheUpdateInsideAGradientToTheUpdate) {
  Run("");
  ASSERT_NE(trainer_->model().params().Find("l")->sink, nullptr);
  EXPECT_EQ(Of("large").backward, 0);
  EXPECT_GE(Of("large").update, kUpdateMs);
  EXPECT_GE(Of("small").update, kUpdateMs);
  EXPECT_EQ(timer_->late_updates(), 0);
}

TEST_F(StepTimerTest, TimesLayersOfAStepThatTheTrainerRuns) {
  Run("");
  timer_->Clear();
  trainer_->TrainStep(2);
  EXPECT_EQ(Of("work").forward, kForwardMs);
  EXPECT_EQ(Of("work").backward, kBackwardMs);
  EXPECT_EQ(Of("large").backward, 0);
  EXPECT_GE(Of("large").update, kUpdateMs);
}

TEST_F(StepTimerTest, TakesWaitsForRecordsOutOfTheLayersTime) {
  Run("");
  EXPECT_EQ(Of("data").forward, 0);
  EXPECT_EQ(Of("data").wait, kWaitMs);
  EXPECT_EQ(trainer_->model().readers().TakeWaitMs(), 0);
}

TEST_F(StepTimerTest, LeavesWaitsForRecordsToTheMetrics) {
  Run("", /*takes_waits=*/false);
  EXPECT_EQ(Of("data").forward, kWaitMs);
  EXPECT_EQ(Of("data").wait, 0);
  EXPECT_EQ(trainer_->model().readers().TakeWaitMs(), 2 * kWaitMs);
}

TEST_F(StepTimerTest, CountsUpdatesThatWaitForANormAsLate) {
  Run("clip_norm: 1");
  EXPECT_EQ(Of("large").update, 0);
  EXPECT_EQ(Of("small").update, 0);
  EXPECT_GE(timer_->late_updates(), 2 * kUpdateMs);
}

TEST_F(StepTimerTest, PartsAddUpToTheStep) {
  for (const char* updater : {"", "clip_norm: 1"}) {
    Run(updater);
    double sum = timer_->late_updates();
    for (const LayerTimes& times : timer_->layers()) sum += times.sum();
    EXPECT_EQ(sum, step_ms_) << updater;
    timer_.reset();
  }
}

}  // namespace
}  // namespace singa
