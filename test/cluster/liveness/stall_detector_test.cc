// Tests which worker is reported to stand still, at times that the tests choose.
#include "cluster/liveness/stall_detector.h"

#include <gtest/gtest.h>

#include "base/thread/clock.h"

namespace singa {
namespace {

// There are two workers. No worker may stand still for longer than 8 seconds.
class StallDetectorTest : public ::testing::Test {
 protected:
  StallDetectorTest() : finder_(8 * kSecond) {
    for (int worker = 0; worker < 2; ++worker)
      finder_.Add("worker " + std::to_string(worker), &marks_[worker]);
  }

  // Looks once a second for `seconds` seconds. Returns the first finding; "": none.
  std::string Watch(int seconds) {
    for (int i = 0; i < seconds; ++i)
      if (const auto found = finder_.Look(now_ += kSecond)) return *found;
    return "";
  }

  int64_t now_ = 100 * kSecond;
  const std::string slow_ = "slow", data_ = "data";
  ActivityMark marks_[2];
  StallDetector finder_;
};

TEST_F(StallDetectorTest, NamesWorkerTimeLayerAndStep) {
  marks_[1].SetStep(17);
  marks_[1].Set(Activity::kFeature, &slow_);
  EXPECT_EQ(Watch(8), "");
  EXPECT_EQ(Watch(1),
            "worker 1 has stood still for 8.0 s in layer \"slow\", step 17; where that may take "
            "longer, raise cluster.stall_timeout, 8 s");
}

TEST_F(StallDetectorTest, SaysWhatIsDone) {
  marks_[0].Set(Activity::kGradient, &slow_);
  EXPECT_NE(Watch(9).find("in the gradient of layer \"slow\", step 0"), std::string::npos);
  marks_[0].Set(Activity::kReading, &data_);
  EXPECT_NE(Watch(9).find("reading data for layer \"data\","), std::string::npos);
  marks_[0].Set(Activity::kEvaluating, &slow_);
  EXPECT_NE(Watch(9).find("in layer \"slow\" of a test or"), std::string::npos);
  marks_[0].Set(Activity::kUpdating);
  EXPECT_NE(Watch(9).find("updating params,"), std::string::npos);
  marks_[0].Set(Activity::kMetrics);
  EXPECT_NE(Watch(9).find("writing metrics,"), std::string::npos);
  marks_[0].Set(Activity::kCheckpoint);
  EXPECT_NE(Watch(9).find("writing a checkpoint,"), std::string::npos);
  marks_[0].Set(Activity::kServing);
  EXPECT_NE(Watch(9).find("handling a message,"), std::string::npos);
  marks_[0].Set(Activity::kStartingMpi);
  EXPECT_NE(Watch(9).find("in MPI_Init,"), std::string::npos);
}

TEST_F(StallDetectorTest, NamesNobodyWhoGoesOn) {
  for (int i = 0; i < 10; ++i) {
    marks_[0].Set(Activity::kFeature, &slow_);
    marks_[1].Set(Activity::kReading, &data_);
    EXPECT_EQ(Watch(7), "");
    marks_[1].Tick();
    EXPECT_EQ(marks_[1].state().activity, Activity::kReading);
    EXPECT_EQ(marks_[1].layer(), &data_);
  }
}

TEST_F(StallDetectorTest, NamesNobodyWhoWaitsForOthersOrIsBetweenSteps) {
  marks_[0].Set(Activity::kFeature, &slow_);
  for (const Activity waits : {Activity::kAwaitsWorkers, Activity::kAwaitsServers,
                               Activity::kAwaitsProcesses, Activity::kBetween}) {
    const ActivityMark::Scope scope(&marks_[0], waits);
    EXPECT_EQ(Watch(100), "");
  }
  EXPECT_EQ(marks_[0].state().activity, Activity::kFeature);
  EXPECT_EQ(marks_[0].layer(), &slow_);
  EXPECT_NE(Watch(9), "");
}

TEST_F(StallDetectorTest, NamesTheOneWhoDoesNotWait) {
  marks_[0].Set(Activity::kAwaitsWorkers);
  EXPECT_EQ(Watch(5), "");
  marks_[1].Set(Activity::kFeature, &slow_);
  EXPECT_EQ(Watch(9).substr(0, 8), "worker 1");
  EXPECT_NE(finder_.Describe(now_).find("worker 0: waiting for the other workers of its group"),
            std::string::npos)
      << finder_.Describe(now_);
}

TEST_F(StallDetectorTest, OfTwoNamesTheOneWhoStandsStillForLonger) {
  marks_[1].Set(Activity::kFeature, &slow_);
  EXPECT_EQ(Watch(1), "");
  marks_[0].Set(Activity::kFeature, &slow_);
  EXPECT_EQ(Watch(8).substr(0, 8), "worker 1");
}

TEST_F(StallDetectorTest, BlamesNobodyForATimeWithoutLooks) {
  marks_[0].Set(Activity::kFeature, &slow_);
  EXPECT_EQ(Watch(4), "");
  now_ += 3600 * kSecond;  // the process was stopped
  EXPECT_EQ(Watch(4), "");
  EXPECT_NE(Watch(2), "");
}

TEST_F(StallDetectorTest, CountsHowOftenAllWentOn) {
  EXPECT_EQ(Watch(1), "");
  EXPECT_EQ(finder_.progress(), 0u);
  marks_[0].Tick();
  marks_[1].Tick();
  marks_[1].Set(Activity::kBetween);
  EXPECT_EQ(Watch(1), "");
  EXPECT_EQ(finder_.progress(), 3u);
}

}  // namespace
}  // namespace singa
