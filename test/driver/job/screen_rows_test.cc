// Tests which rows of metrics the screen shows, and in which form.
#include "driver/job/screen_rows.h"

#include <glog/logging.h>
#include <gtest/gtest.h>

#include <utility>

namespace singa {
namespace {

class ScreenRowsTest : public ::testing::Test {
 protected:
  // Returns the lines that are shown for `rows`, without those of the log.
  std::string Shown(const MetricsRows& rows) {
    const int level = std::exchange(FLAGS_minloglevel, google::GLOG_WARNING);
    testing::internal::CaptureStderr();
    screen_.Write(rows);
    FLAGS_minloglevel = level;
    return testing::internal::GetCapturedStderr();
  }
  // Returns a training row, and rows of two processes that work for ms0 and ms1 of a step's 100 ms.
  static MetricsRows Training(int64_t step, double ms0, double ms1) {
    MetricsRows rows = {{.phase = "train",
                         .step = step,
                         .layer = "loss",
                         .metrics = {{"loss", 0.5}},
                         .values = {{"samples_per_second", 34}}}};
    for (const double ms : {ms0, ms1})
      rows.push_back({.phase = "process",
                      .step = step,
                      .host = "h",
                      .pid = 7,
                      .values = {{"rank", static_cast<double>(rows.size() - 1)},
                                 {"step_ms", 100},
                                 {"sync_wait_ms", 100 - ms}}});
    return rows;
  }

  ActivityMark mark_;
  Progress progress_;
  ScreenRows screen_{&progress_, 5, &mark_};
};

TEST_F(ScreenRowsTest, AreThoseOfTestsAndValidations) {
  EXPECT_EQ(Shown({{.phase = "test", .step = 3, .layer = "loss", .metrics = {{"loss", 0.25}}}}),
            "test step 3: loss = 0.250000\n");
  EXPECT_EQ(Shown({{.phase = "validate", .step = 3, .layer = "a", .metrics = {{"loss", 1}}},
                   {.phase = "validate", .step = 3, .layer = "b", .metrics = {{"hits", 0}}}}),
            "validate step 3: a.loss = 1.000000, b.hits = 0.000000\n");
}

TEST_F(ScreenRowsTest, HaveTheSpeedOfTheTraining) {
  EXPECT_EQ(Shown(Training(0, 50, 50)), "train step 0: loss = 0.500000\n");
  EXPECT_EQ(Shown(Training(1, 50, 50)), "train step 1: loss = 0.500000, 34 samples/s\n");
}

TEST_F(ScreenRowsTest, AreNotThoseOfOtherGroups) {
  EXPECT_EQ(Shown({{.phase = "train", .group = 1, .metrics = {{"loss", 1}}}}), "");
  EXPECT_EQ(Shown({{.phase = "process", .values = {{"rank", 1}}}}), "");
}

TEST_F(ScreenRowsTest, NameTheProcessThatTheOthersWaitFor) {
  Shown(Training(0, 50, 80));
  EXPECT_EQ(Shown(Training(1, 50, 80)),
            "train step 1: loss = 0.500000, 34 samples/s, slowest process 1 (h, pid 7): +30 % of a "
            "step\n");
}

TEST_F(ScreenRowsTest, SayHowOldTheParametersWere) {
  MetricsRows rows = Training(0, 50, 50);
  rows[0].values.emplace_back("staleness_mean", 1.25);
  EXPECT_EQ(Shown(rows), "train step 0: loss = 0.500000, staleness 1.2\n");
}

}  // namespace
}  // namespace singa
