#include "driver/plan/kept_times.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "io/temp_dir.h"
#include "support/driver/plan_jobs.h"

namespace singa::kept_times {
namespace {

class KeptTimesTest : public testing::Test {
 protected:
  KeptTimesTest() { setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~KeptTimesTest() override { unsetenv("XDG_CACHE_HOME"); }

  TempDir folder_;
  const std::vector<PartRequest> requests_ = {{ImageJob(), WorkersOn(1)}};
};

TEST_F(KeptTimesTest, AreMeasuredOnce) {
  KeptTimes first(false, nullptr), second(false, nullptr);
  const PartTimes measured = first.Of(requests_)[0], kept = second.Of(requests_)[0];
  EXPECT_GT(measured.layers.at("fc1").forward, 0);
  EXPECT_EQ(measured.layers.at("fc1").forward, kept.layers.at("fc1").forward);
  EXPECT_EQ(first.source() + ", before (-fresh measures again)", second.source());
}

TEST_F(KeptTimesTest, OfAnotherShapeAreMeasured) {
  KeptTimes(false, nullptr).Of(requests_);
  std::vector<PartRequest> other = requests_;
  other[0].job.mutable_neuralnet()->mutable_layer(4)->mutable_innerproduct_conf()->set_num_output(
      41);
  int measured = 0;
  KeptTimes timer(false, [&](int done, int) { measured += done == 0; });
  timer.Of(other);
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(timer.source().find("before"), std::string::npos);
  timer.Of(other);
  EXPECT_EQ(measured, 1) << "they were kept";
}

TEST_F(KeptTimesTest, AreThoseThatWereMeasuredTogether) {
  const std::vector<PartRequest> both = {requests_[0], {ImageJob(), WorkersOn(2)}};
  const std::vector<PartTimes> measured = KeptTimes(false, nullptr).Of(both);
  KeptTimes(false, nullptr).Of(requests_);  // measures the first part alone
  const std::vector<PartTimes> kept = KeptTimes(false, nullptr).Of(both);
  for (size_t i = 0; i < both.size(); ++i)
    EXPECT_EQ(kept[i].layers.at("fc1").forward, measured[i].layers.at("fc1").forward);
}

TEST_F(KeptTimesTest, SayHowFarTheyAre) {
  std::vector<std::pair<int, int>> told;
  KeptTimes(false, [&](int done, int all) { told.emplace_back(done, all); }).Of(requests_);
  EXPECT_EQ(told, (std::vector<std::pair<int, int>>{{0, 3}, {1, 3}, {2, 3}}));
}

TEST_F(KeptTimesTest, AreMeasuredWithoutAFolderToWrite) {
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  EXPECT_GT(KeptTimes(false, nullptr).Of(requests_)[0].layers.at("fc1").forward, 0);
}

}  // namespace
}  // namespace singa::kept_times
