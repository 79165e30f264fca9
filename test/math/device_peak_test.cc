#include "math/device_peak.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/test_device.h"

namespace singa {
namespace {

class DevicePeakTest : public ::testing::TestWithParam<TestPlace> {};
SINGA_TEST_ON_ALL_GPUS(DevicePeakTest);

TEST_P(DevicePeakTest, IsARateInEachPrecision) {
  TestDevice device(GetParam());
  device.stream->ReserveWorkspace();
  EXPECT_GT(MeasureDeviceCopyBandwidth(device.ctx), 0);
  for (const Precision precision :
       {Precision::kFloat32, Precision::kTf32, Precision::kBFloat16, Precision::kFloat16}) {
    device.ctx.precision = precision;
    const double rate = MeasureProductPeak(device.ctx);
    EXPECT_TRUE(std::isfinite(rate)) << rate;
    EXPECT_GT(rate, 0);
  }
}

}  // namespace
}  // namespace singa
