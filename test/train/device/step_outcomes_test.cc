// Tests the outcomes of a device's steps, as the host sees them. The device is emulated: it does
// its work only when the host waits for it.
#include "train/device/step_outcomes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "singa/base/error.h"
#include "support/emulated_stream.h"
#include "support/train/recorded_updates.h"

namespace singa {
namespace {

class StepOutcomesTest : public ::testing::Test {
 protected:
  StepOutcomesTest() { ctx_.stream = stream_.get(); }
  ~StepOutcomesTest() override { stream_->Wait(); }  // nothing copies to memory that is freed

  void Make(bool skips, bool leads = true, LossScale* scale = nullptr) {
    outcomes_.emplace(StepOutcomes::Worker{.ctx = &ctx_,
                                           .updates = &updates_,
                                           .loss_scale = scale,
                                           .skips = skips,
                                           .leads = leads,
                                           .losses = {"first loss", "second loss"},
                                           .ahead = 3});
  }
  // Hands out a step with this report.
  void Send(const StepReport& report) {
    stream_->Run([to = outcomes_->report(), report] { *to = report; });
    outcomes_->SendReport();
  }
  int64_t AwaitReports(size_t most) {
    return outcomes_->AwaitReports(most, {&weight_, &bias_}, nullptr);
  }

  static StepReport Taken(double norm) {
    StepReport report;
    report.norm = norm;
    return report;
  }
  static StepReport Dropped(int64_t step, int32_t loss, int32_t piece) {
    StepReport report;
    report.verdict.dropped = true;
    report.step = step;
    report.loss = loss;
    report.piece = piece;
    return report;
  }

  EmulatedGpu gpu_;
  const std::unique_ptr<Stream> stream_ = gpu_.NewStream();
  Context ctx_;
  RecordedUpdates updates_;
  LossScale scale_;
  const Param weight_{"w", "fc", "", ParamProto(), {2}}, bias_{"b", "fc", "", ParamProto(), {2}};
  std::optional<StepOutcomes> outcomes_;
};

TEST_F(StepOutcomesTest, AStepThatCountsIsNotLeftOut) {
  Make(/*skips=*/true);
  Send(Taken(2.5));
  EXPECT_EQ(AwaitReports(0), 0);
  EXPECT_EQ(outcomes_->gradient_norm(), 2.5);
  EXPECT_EQ(updates_.skips(), 0);
}

TEST_F(StepOutcomesTest, TheNewestReportsMayStayOnTheirWay) {
  Make(/*skips=*/true);
  for (const double norm : {1, 2, 3}) Send(Taken(norm));
  AwaitReports(2);
  EXPECT_EQ(outcomes_->gradient_norm(), 1);
  AwaitReports(2);
  EXPECT_EQ(outcomes_->gradient_norm(), 1);
  AwaitReports(0);
  EXPECT_EQ(outcomes_->gradient_norm(), 3);
}

// Memory for reports is used again.
TEST_F(StepOutcomesTest, EachStepHasItsOwnReport) {
  Make(/*skips=*/true);
  for (int step = 0; step < 10; ++step) {
    Send(Taken(step));
    AwaitReports(3);
    EXPECT_EQ(outcomes_->gradient_norm(), std::max(0, step - 3));
  }
}

TEST_F(StepOutcomesTest, ALossThatIsNotFiniteEndsTheJob) {
  Make(/*skips=*/false);
  Send(Dropped(41, 1, 0));
  try {
    AwaitReports(0);
    FAIL() << "no error";
  } catch (const DivergedError& error) {
    EXPECT_STREQ(error.what(), "step 41: the loss of layer \"second loss\" is not finite");
  }
}

TEST_F(StepOutcomesTest, AGradientThatIsNotFiniteEndsTheJob) {
  Make(/*skips=*/false);
  Send(Dropped(41, -1, 1));
  try {
    AwaitReports(0);
    FAIL() << "no error";
  } catch (const DivergedError& error) {
    EXPECT_STREQ(error.what(),
                 "step 41: the gradient of param \"b\" of layer \"fc\" is not finite");
  }
}

TEST_F(StepOutcomesTest, TheErrorNamesTheWorkerThatIsFound) {
  std::vector<int32_t> asked;
  outcomes_.emplace(StepOutcomes::Worker{.ctx = &ctx_,
                                         .updates = &updates_,
                                         .loss_scale = &scale_,
                                         .skips = false,
                                         .leads = true,
                                         .losses = {"first loss"},
                                         .ahead = 3,
                                         .place_of = [&](const StepReport& report) {
                                           asked.push_back(report.piece);
                                           return NotFiniteAt{.worker = 2};
                                         }});
  Send(Dropped(3, -1, 1));
  AwaitReports(0);
  EXPECT_TRUE(asked.empty()) << "the scale is at fault, and nobody is asked";
  ASSERT_TRUE(scale_.Set(1, 0));
  Send(Dropped(4, -1, 1));
  try {
    AwaitReports(0);
    FAIL() << "no error";
  } catch (const DivergedError& error) {
    EXPECT_STREQ(error.what(),
                 "step 4: the gradient of param \"b\" of layer \"fc\" is not finite, at worker 2");
  }
  EXPECT_EQ(asked, std::vector<int32_t>{1});
}

TEST_F(StepOutcomesTest, StepsThatAreSkippedAreCountedByTheLead) {
  Make(/*skips=*/true);
  Send(Dropped(4, 0, -1));
  Send(Taken(1));
  Send(Dropped(6, 0, -1));
  EXPECT_EQ(AwaitReports(0), 2);
  EXPECT_EQ(updates_.skips(), 2);
}

TEST_F(StepOutcomesTest, OtherWorkersSkipWithoutCounting) {
  Make(/*skips=*/true, /*leads=*/false);
  Send(Dropped(4, 0, -1));
  EXPECT_EQ(AwaitReports(0), 1);
  EXPECT_EQ(updates_.skips(), 0);
}

TEST_F(StepOutcomesTest, ASkippedStepHasNoNorm) {
  Make(/*skips=*/true);
  Send(Dropped(4, 0, -1));
  AwaitReports(0);
  EXPECT_TRUE(std::isnan(outcomes_->gradient_norm()));
}

TEST_F(StepOutcomesTest, AStepThatOverflowsHalvesTheScaleOfLosses) {
  Make(/*skips=*/false, /*leads=*/true, &scale_);
  Send(Dropped(4, 0, -1));
  EXPECT_EQ(AwaitReports(0), 1);
  EXPECT_EQ(scale_.value(), LossScale::kFirst / 2);
  EXPECT_EQ(updates_.skips(), 0) << "the scale is at fault, not the step";
}

TEST_F(StepOutcomesTest, AStepEndsTheJobWhenLossesAreScaledNoMore) {
  ASSERT_TRUE(scale_.Set(1, 0));
  Make(/*skips=*/false, /*leads=*/true, &scale_);
  Send(Dropped(4, 0, -1));
  EXPECT_THROW(AwaitReports(0), DivergedError);
}

TEST_F(StepOutcomesTest, AStepThatCountsBringsTheScaleNearerToItsDouble) {
  Make(/*skips=*/false, /*leads=*/true, &scale_);
  Send(Taken(1));
  Send(Taken(1));
  AwaitReports(0);
  EXPECT_EQ(scale_.steps(), 2);
}

}  // namespace
}  // namespace singa
