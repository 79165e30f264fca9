// Tests cuDNN's plans for a GPU from its properties alone. The tests need no GPU.
#include <gtest/gtest.h>

#include <string_view>

#include "nn/neuron/convolution_graphs.h"

namespace singa {
namespace {

constexpr std::string_view kH100 =
    R"({"deviceName": "NVIDIA H100 80GB HBM3", "cudaDeviceId": 0, "pciDeviceId": 0,
        "deviceVer": 900, "driverVer": 13000, "isTccDriver": 0, "supportCoopLaunch": 1,
        "multiProcessorCount": 132, "smClockRateKHz": 1980000, "memClockRateKHz": 2619000,
        "totalGlobalMem": 85000000000, "l2CacheSize": 52428800, "warpSize": 32,
        "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
        "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,
        "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "maxSharedMemoryPerBlock": 49152,
        "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024})";

ConvolutionDesc ConvolutionWith(const ImageShape& in, int64_t filters, const WindowSide& side,
                                bool bias) {
  return {in, {in.n, filters, side.Count(in.h), side.Count(in.w)}, {side, side}, bias};
}

class ConvolutionCudnnTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (!CudnnAvailable(&why)) GTEST_SKIP() << why;
  }

  static ConvolutionGraphs Plan(const ConvolutionDesc& desc, Precision precision,
                                int64_t workspace) {
    CudnnDescriptor device(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    device.SetAll<char>(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, kH100).Finalize();
    return ConvolutionGraphs({.device = &device}, desc, precision, workspace);
  }
};

constexpr int64_t kMega = 1 << 20;

TEST_F(ConvolutionCudnnTest, HasEnginesThatAddTheBias) {
  for (Precision precision :
       {Precision::kFloat32, Precision::kTf32, Precision::kBFloat16, Precision::kFloat16})
    for (const ConvolutionDesc& desc : {ConvolutionWith({64, 1, 28, 28}, 20, {5, 0, 1}, true),
                                        ConvolutionWith({64, 20, 12, 12}, 50, {5, 0, 1}, true),
                                        ConvolutionWith({100, 3, 32, 32}, 32, {5, 2, 1}, true),
                                        ConvolutionWith({128, 3, 227, 227}, 96, {11, 0, 4}, true),
                                        ConvolutionWith({3, 3, 7, 5}, 1, {3, 1, 2}, true),
                                        ConvolutionWith({128, 64, 56, 56}, 64, {1, 0, 1}, true)}) {
      const ConvolutionGraphs plan = Plan(desc, precision, 256 * kMega);
      EXPECT_TRUE(plan.adds_bias());
      EXPECT_LE(plan.workspace_bytes(), 256 * kMega);
    }
}

TEST_F(ConvolutionCudnnTest, HasEnginesForGroupsAndDilation) {
  ConvolutionDesc groups = ConvolutionWith({64, 64, 28, 28}, 64, {3, 1, 1}, true);
  for (groups.groups = 1; groups.groups <= 64; groups.groups *= 8)
    EXPECT_GE(Plan(groups, Precision::kFloat32, 256 * kMega).workspace_bytes(), 0);
  const ConvolutionDesc dilated = ConvolutionWith({64, 64, 28, 28}, 64, {3, 2, 1, 2}, false);
  EXPECT_GE(Plan(dilated, Precision::kBFloat16, 256 * kMega).workspace_bytes(), 0);
}

TEST_F(ConvolutionCudnnTest, FallsBackToEnginesThatNeedLessWorkspace) {
  const ConvolutionDesc desc = ConvolutionWith({256, 96, 27, 27}, 256, {5, 2, 1}, false);
  EXPECT_GT(Plan(desc, Precision::kFloat32, 256 * kMega).workspace_bytes(), 64 * kMega);
  EXPECT_LE(Plan(desc, Precision::kFloat32, 64 * kMega).workspace_bytes(), 64 * kMega);
}

// The shape is that of AlexNet's first convolution. Its engines on tensor cores need more than 256
// MiB.
TEST_F(ConvolutionCudnnTest, LargeWeightGradientsRunOnTensorCores) {
  const ConvolutionDesc desc = ConvolutionWith({256, 3, 227, 227}, 96, {11, 0, 4}, true);
  for (Precision precision : {Precision::kTf32, Precision::kBFloat16, Precision::kFloat16})
    EXPECT_EQ(Plan(desc, precision, 1024 * kMega).WithoutTensorCores(), "");
}

TEST_F(ConvolutionCudnnTest, NamesWhatRunsWithoutTensorCores) {
  ConvolutionDesc desc = ConvolutionWith({64, 20, 12, 12}, 50, {5, 0, 1}, true);
  EXPECT_EQ(Plan(desc, Precision::kFloat32, 256 * kMega).WithoutTensorCores(),
            "the forward pass, the input's gradient, the weights' gradient");
}

TEST_F(ConvolutionCudnnTest, PlansNoGradientThatNobodyAsksFor) {
  ConvolutionDesc desc = ConvolutionWith({128, 3, 227, 227}, 96, {11, 0, 4}, true);
  desc.data_gradient = desc.weight_gradient = false;
  const int64_t feature = Plan(desc, Precision::kTf32, 256 * kMega).workspace_bytes();
  desc.data_gradient = true;  // each gradient's engine takes more than the feature's
  EXPECT_LT(feature, Plan(desc, Precision::kTf32, 256 * kMega).workspace_bytes());
  desc.data_gradient = false;
  desc.weight_gradient = true;
  EXPECT_LT(feature, Plan(desc, Precision::kTf32, 256 * kMega).workspace_bytes());
}

TEST_F(ConvolutionCudnnTest, WithoutABiasNoneIsAdded) {
  EXPECT_FALSE(Plan(ConvolutionWith({8, 4, 9, 9}, 8, {3, 1, 1}, false), Precision::kTf32, kMega)
                   .adds_bias());
}

}  // namespace
}  // namespace singa
