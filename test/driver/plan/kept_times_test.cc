#include "driver/plan/kept_times.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

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
  KeptTimes timer(false, [&] { ++measured; });
  timer.Of(other);
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(timer.source().find("before"), std::string::npos);
  timer.Of(other);
  EXPECT_EQ(measured, 1) << "they were kept";
}

TEST_F(KeptTimesTest, AreMeasuredWithoutAFolderToWrite) {
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  EXPECT_GT(KeptTimes(false, nullptr).Of(requests_)[0].layers.at("fc1").forward, 0);
}

}  // namespace
}  // namespace singa::kept_times
