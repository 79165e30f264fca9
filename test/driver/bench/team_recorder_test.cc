// Tests what a TeamRecorder measures, with a clock that the layers and updates of the test move.
#include "driver/bench/team_recorder.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "driver/bench/follower_trace.h"
#include "driver/bench/rank_trace.h"
#include "singa/base/str_cat.h"
#include "support/driver/work_clock.h"
#include "train/state/init_params.h"

namespace singa::team_recorder {
namespace {

constexpr int kForwardMs = 5, kBackwardMs = 7, kSendMs = 1, kAnswerMs = 4, kWaitMs = 3;

using Works = WorkLayer<kForwardMs, kBackwardMs>;
SINGA_REGISTER_LAYER(TeamRecorderWorks, Works);
using Reads = WaitingReader<0>;
SINGA_REGISTER_LAYER(TeamRecorderReads, Reads);

// FarUpdates are of a server that answers the upper param's gradient when the lower one's is sent,
// and the lower one's when the next step waits for it.
class FarUpdates final : public SliceUpdates {
 public:
  static constexpr int kLower = 0, kUpper = 1;  // params, of one slice each

  void Attach(const SliceTable&, const std::vector<Param*>&) override {}
  bool needs_all() const override { return false; }
  void Submit(Context&, int slice, int64_t step, std::span<float* const>) override {
    if (slice == kLower) NoteFresh(kUpper, step);
    WorkClock::Take(kSendMs);
  }
  void LossNotFinite(const std::string&, int64_t, int) override {}
  void Finish(Context&, int64_t, int, int, std::span<float* const>) override {}
  void Check() override {}
  bool skipped(int64_t) const override { return false; }
  double GradientNorm(int64_t) override { return 0; }
  int64_t skips() const override { return 0; }
  void set_skips(int64_t) override {}
  void Await(int param, int64_t step) override {
    if (param != kLower || step == 0) return;
    WorkClock::Take(kAnswerMs);
    NoteFresh(kLower, step - 1);
  }
};

JobProto Job() {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    train_steps: 9 train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
    neuralnet {
      layer { name: "data" user_type: "TeamRecorderReads" dummy_conf { shape: 2 shape: 4 } }
      layer { name: "lower" type: kInnerProduct srclayers: "data"
              innerproduct_conf { num_output: 3 bias_term: false }
              param { name: "l" init { type: kUniform } } }
      layer { name: "work" user_type: "TeamRecorderWorks" srclayers: "lower" }
      layer { name: "upper" type: kInnerProduct srclayers: "work"
              innerproduct_conf { num_output: 2 bias_term: false }
              param { name: "u" init { type: kUniform } } }
      layer { name: "end" type: kDummy srclayers: "upper" dummy_conf { output: true } }
    })",
                                                            &job));
  return job;
}

class TeamRecorderTest : public ::testing::Test {
 protected:
  TeamRecorderTest() {
    team_.Allocate();
    InitParams(team_.lead().model().ctx(), {}, &team_.lead().model().params());
    recorder_.emplace(&team_, &clock_, &times_);
    for (int64_t step = 0; step < 4; ++step) recorder_->Step(step);
  }

  const JobProto job_ = Job();
  const WorkClock clock_;
  SliceTimes times_{&clock_};
  Replica replica_{job_};
  FarUpdates updates_;
  FollowerTrace follower_;  // the team's updates call its SliceTimes
  WorkerTeam team_{job_, TeamSetup{.place = {.threads = 1},
                                   .workers = 1,
                                   .gpus = {},
                                   .replica = &replica_,
                                   .updates = &updates_,
                                   .between = nullptr,
                                   .link = {},
                                   .deadline = nullptr,
                                   .failed = {}}};
  std::optional<TeamRecorder> recorder_;
};

// A step: the lower param is awaited until 4, the layer works until 9, the upper gradient is sent
// until 10, the layer works until 17, the lower gradient is sent until 18. The upper gradient is on
// its way from 9 to 17, the lower one from 17 to the next step's 4.
TEST_F(TeamRecorderTest, AStepIsWhatItsPartsAre) {
  ASSERT_TRUE(recorder_->figures());
  const StepFigures& step = *recorder_->figures();
  EXPECT_EQ(step.step, 18);
  EXPECT_EQ(step.forward, kForwardMs);
  EXPECT_EQ(step.backward, kBackwardMs);
  EXPECT_EQ(step.communication, 4 + 8 + 1);
  EXPECT_EQ(step.exposed, kAnswerMs + 2 * kSendMs);
  EXPECT_EQ(step.worker_wait, 0);
  EXPECT_EQ(step.update, 0);  // the server updates
  EXPECT_EQ(step.other(), 0);
}

// A reader counts its wait before a step, too.
TEST_F(TeamRecorderTest, AWaitBeforeAStepIsNoTimeOfItsLayers) {
  Reads::Count(kWaitMs);
  EXPECT_TRUE(recorder_->AwaitRecords([] { return false; }));
  for (int64_t step = 4; step < 6; ++step) recorder_->Step(step);
  EXPECT_EQ(recorder_->figures()->forward, kForwardMs);
  EXPECT_EQ(recorder_->figures()->data_wait, 0);  // the clock stood still
}

// Times are since the step began. The trace is that of the figures.
TEST_F(TeamRecorderTest, ATraceHasTheSpansAndGradientsOfAStep) {
  const StepTrace& trace = recorder_->trace();
  EXPECT_EQ(trace.step, 2);
  EXPECT_EQ(trace.time.length(), 18 * kMillisecond);
  std::vector<std::string> found;
  const auto note = [&](const std::string& name, const Interval& time) {
    if (time.length() == 0) return;
    found.push_back(
        StrCat(name, " ", MsOf(time.from - trace.time.from), "-", MsOf(time.to - trace.time.from)));
  };
  for (const TraceSpan& span : trace.workers.at(0))
    note(StrCat(NameOf(span.kind), " ", span.param), span.time);
  for (const StepTrace::Flight& flight : trace.flights)
    note(StrCat("gradient ", flight.param, " of step ", flight.step), flight.time);
  EXPECT_THAT(found, testing::ElementsAre("wait 0 0-4", "forward -1 4-9", "communication 1 9-10",
                                          "backward -1 10-17", "communication 0 17-18",
                                          "gradient 0 of step 1 0-4", "gradient 0 of step 2 17-18",
                                          "gradient 1 of step 2 9-17"));
  EXPECT_TRUE(trace.updates.empty());  // the server updates
}

// The gradients of the last step may still be on their way, so it has no trace yet.
TEST_F(TeamRecorderTest, AFollowerGivesTheTraceOfAStepThatItHas) {
  recorder_.reset();
  EXPECT_EQ(follower_.Record(6), "");
  follower_.Begin(&team_);
  for (int64_t step = 4; step < 8; ++step) follower_.Step(step);
  follower_.End();
  EXPECT_THAT(ParseRankTrace(follower_.Record(6), 1).events.dump(),
              testing::HasSubstr("work forward"));
  EXPECT_EQ(follower_.Record(7), "");
}

TEST_F(TeamRecorderTest, AGradientIsReadyThenSummedThenAwaited) {
  const GradientTimes& upper = recorder_->gradients()[FarUpdates::kUpper];
  EXPECT_EQ(upper.ready, 9);
  EXPECT_EQ(upper.sum, 17);
  EXPECT_EQ(upper.wait, 0);
  const GradientTimes& lower = recorder_->gradients()[FarUpdates::kLower];
  EXPECT_EQ(lower.ready, 17);
  EXPECT_EQ(lower.sum, 18 + 4);
  EXPECT_EQ(lower.wait, kAnswerMs);
}

}  // namespace
}  // namespace singa::team_recorder
