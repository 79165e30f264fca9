#include "driver/workspace/progress.h"

#include <glog/logging.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace singa {
namespace {

// Returns the lines that `progress` shows on stderr during `run`, without those of the log.
std::string Shown(const std::function<void(Progress* progress)>& run) {
  const int level = std::exchange(FLAGS_minloglevel, google::GLOG_WARNING);
  testing::internal::CaptureStderr();
  Progress progress;
  run(&progress);
  FLAGS_minloglevel = level;
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, LeavesTheSpeedOfTheFirstStepOut) {
  EXPECT_EQ(
      Shown([](Progress* progress) {
        const MetricsRow loss = {.phase = "train", .layer = "loss", .metrics = {{"loss", 0.5}}};
        progress->ShowRow(0, 5, {loss}, 12);
        progress->ShowRow(1, 5, {loss}, 34);
      }),
      "train step 0: loss = 0.500000\n"
      "train step 1: loss = 0.500000, 34 samples/s\n");
}

TEST(Progress, SaysWhichOfSeveralGroupsHasTheSpeed) {
  testing::internal::CaptureStderr();
  const int level = std::exchange(FLAGS_minloglevel, google::GLOG_WARNING);
  Progress progress(2);
  progress.ShowRow(0, 5, {}, 12);
  progress.ShowRow(1, 5, {}, 34);
  FLAGS_minloglevel = level;
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "train step 0\ntrain step 1: 34 samples/s of group 0\n");
}

TEST(Progress, ShowsTheSpeedOfAFirstRowOfSeveralSteps) {
  EXPECT_EQ(Shown([](Progress* progress) {
              progress->ShowStep(
                  10, 20, [] { return MetricsRows(); }, 12);
              progress->ShowRow(11, 20, {}, 34, "2 bad records");
            }),
            "train step 11: 34 samples/s, 2 bad records\n");
}

}  // namespace
}  // namespace singa
