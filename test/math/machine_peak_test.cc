#include "math/machine_peak.h"

#include <gtest/gtest.h>

#include <cmath>

namespace singa {
namespace {

// `singa bench` measures the speed. A test that asked for a speed would test the machine's load.
TEST(MachinePeak, IsARate) {
  for (const int threads : {1, 2, 3}) {
    for (const double rate : {MeasureFmaPeak(threads), MeasureCopyBandwidth(threads)}) {
      EXPECT_TRUE(std::isfinite(rate)) << threads << " threads: " << rate;
      EXPECT_GT(rate, 0) << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace singa
