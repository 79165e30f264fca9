// The golden numbers are those of tool/golden/convolution.py.
#include <cmath>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

class ConvolutionTest : public LayerTest {
 protected:
  // Expects that plain and vendor kernels agree on a random feature and gradient.
  void ExpectAgreement(const std::string& fields, const Shape& shape) {
    const std::string conf = Conf(fields);
    const Shape out = Build(conf, shape)->output_shape();
    const Values x = RandomValues("x", shape.size()), dy = RandomValues("dy", out.size());
    ctx_.plain = true;
    const RunResult want = Gradients(conf, shape, x, dy);
    ctx_.plain = false;
    const RunResult got = Gradients(conf, shape, x, dy);
    ExpectNear(got.outputs[0], want.outputs[0], 2e-5);
    ExpectNear(got.input_grads[0], want.input_grads[0], 2e-5);
    const double of_sums = 1e-6 * std::sqrt(static_cast<double>(out.size() / out[1]));
    for (size_t i = 0; i < want.param_grads.size(); ++i)
      ExpectNear(got.param_grads[i], want.param_grads[i], of_sums);
  }

  static std::string Conf(const std::string& fields,
                          const std::string& params = "param {} param {}") {
    return "type: kConvolution convolution_conf { " + fields + " } " + params;
  }
};
SINGA_TEST_ON_ALL_DEVICES(ConvolutionTest);

TEST_P(ConvolutionTest, EqualsPyTorch) {
  const RunResult run =
      Gradients(Conf("num_filters: 2 kernel: 3 pad: 1 stride: 2"), {1, 2, 4, 3}, Pattern(24, 7),
                Pattern(8, 2), {.params = {{"0", Pattern(36, 5)}, {"1", Pattern(2, 3)}}});
  ExpectNear(run.outputs[0], {1, -0.875f, 1.0625f, -0.4375f, 0.75f, 0.375f, -1.9375f, 2.9375f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {1.125f,  -1.8125f, 0.375f,   -0.5625f, 0.375f,   0.6875f,  -0.375f,  0.6875f,
              -1.125f, -0.125f,  -0.5625f, 0.125f,   0.6875f,  -2.4375f, 0.1875f,  -0.25f,
              1.5f,    0.125f,   -0.3125f, 1.0625f,  -0.8125f, -0.0625f, -1.5625f, 0.4375f},
             1e-6);
  ExpectNear(run.param_grads[0],
             {1,     -0.375f, 0.5f,   0.75f,  -0.5f,  -0.25f, 0.5f,    -0.75f,   -0.25f,
              0,     -0.5f,   0,      -0.25f, -1.5f,  -0.25f, -0.5f,   1,        -0.25f,
              0.25f, 0.1875f, -0.25f, -0.75f, 0.625f, -1.75f, -0.625f, 1.125f,   -1.375f,
              0,     -0.5f,   0,      -0.25f, -1.5f,  -0.25f, -0.125f, -0.3125f, 0.125f},
             1e-6);
  ExpectNear(run.param_grads[1], {1, -2}, 1e-6);
}

TEST_P(ConvolutionTest, EqualsPyTorchNotSquareOnImagesWithoutChannels) {
  const RunResult run = Gradients(
      Conf("num_filters: 2 kernel_y: 2 kernel_x: 3 pad_x: 1 stride_x: 2"), {1, 4, 5},
      Pattern(20, 7), Pattern(18, 2), {.params = {{"0", Pattern(12, 5)}, {"1", Pattern(2, 3)}}});
  ExpectNear(run.outputs[0],
             {-2.0625f, -1.6875f, 1.75f, -0.375f, -0.6875f, -0.4375f, -0.75f, 1.6875f, -0.5625f,
              2.3125f, -1.125f, 0, -0.25f, 2.4375f, -0.25f, 0.625f, -0.1875f, -0.5f},
             1e-6);
  ExpectNear(run.input_grads[0], {-0.375f,  3.1875f, 0,        -0.875f,  0.375f,   2.5f,    -1.25f,
                                  -1.9375f, 1.5625f, -1.5625f, -1.1875f, -1.0625f, 1.9375f, -2.375f,
                                  2.3125f,  -1,      0.875f,   -1,       0.875f,   -1},
             1e-6);
  ExpectNear(run.param_grads[0],
             {1.125f, 0.375f, -1.125f, 0.875f, -1.8125f, -0.125f, -1.3125f, -3.625f, 2.625f,
              0.9375f, -0.6875f, -1.4375f},
             1e-6);
  ExpectNear(run.param_grads[1], {-0.25f, -1}, 1e-6);
}

TEST_P(ConvolutionTest, EqualsPyTorchInGroupsAndDilated) {
  const RunResult run = Gradients(
      Conf("num_filters: 2 group: 2 kernel: 2 pad_y: 1 stride_y: 2 dilation_x: 2 dilation_y: 3"),
      {1, 4, 5, 4}, Pattern(80, 7), Pattern(8, 2),
      {.params = {{"0", Pattern(16, 5)}, {"1", Pattern(2, 3)}}});
  ExpectNear(run.outputs[0], {1.1875f, -0.75f, -0.4375f, 0.1875f, 0.875f, -0.5f, -0.375f, 0.6875f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {0,      0,      0, 0, -0.25f,   -0.5f,   0.375f,  0.75f,    0.375f,  0,
              -0.25f, 0,      0, 0, 0,        0,       -0.375f, -0.75f,   0.25f,   0.5f,
              0,      0,      0, 0, -0.5f,    -1,      0.125f,  0.25f,    0.625f,  0,
              0,      0,      0, 0, 0,        0,       -0.625f, -1.25f,   0,       0,
              0,      0,      0, 0, -0.3125f, 0.3125f, 0.0625f, -0.0625f, -1.25f,  -0.75f,
              0.625f, 0.375f, 0, 0, 0,        0,       -0.25f,  0.25f,    0.125f,  -0.125f,
              0,      0,      0, 0, -0.1875f, 0.1875f, 0.1875f, -0.1875f, -0.625f, -0.375f,
              1.25f,  0.75f,  0, 0, 0,        0,       -0.125f, 0.125f,   0.25f,   -0.25f},
             1e-6);
  ExpectNear(run.param_grads[0],
             {0.5f, 0.25f, -0.875f, -0.125f, -0.625f, 0.5f, 1.125f, -0.875f, 0.4375f, -0.25f, -1.5f,
              1.125f, 0.4375f, 0.4375f, 0, -1.5f},
             1e-6);
  ExpectNear(run.param_grads[1], {1, -2}, 1e-6);
}

TEST_P(ConvolutionTest, EqualsPyTorchOfEachChannel) {
  const RunResult run =
      Gradients(Conf("num_filters: 4 group: 2 kernel: 2"), {2, 2, 3, 3}, Pattern(36, 7),
                Pattern(32, 2), {.params = {{"0", Pattern(16, 5)}, {"1", Pattern(4, 3)}}});
  ExpectNear(run.outputs[0],
             {1.75f,    -1.6875f, 1.75f,    -1.6875f, 2,        -2.1875f, 2.5f,     -1.6875f,
              0.4375f,  2.375f,   3.5f,     2,        -1.9375f, 0.625f,   0.25f,    0.75f,
              -1.6875f, -0.3125f, -1.6875f, 1.75f,    -1.1875f, 0.8125f,  -0.6875f, 2,
              1.625f,   -1.9375f, -0.125f,  0.4375f,  0.875f,   -3.4375f, -1.75f,   -1.9375f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {1.5f,    0.0625f, -0.1875f, 1.9375f, 0.25f,    0.8125f,  -0.0625f, -0.8125f, 0.5f,
              0.9375f, 1.75f,   -0.6875f, 0.25f,   -0.9375f, -0.0625f, -0.5f,    -1.625f,  1.5f,
              -0.875f, 0.875f,  -0.4375f, -0.625f, 0.75f,    0.4375f,  0.4375f,  -0.4375f, 0.375f,
              0.4375f, 1.5f,    -0.4375f, -0.625f, 0.875f,   -1.5f,    -0.875f,  -0.25f,   -0.875f},
             1e-6);
  ExpectNear(run.param_grads[0],
             {0.125f, 1.1875f, -0.125f, 0.25f, 1.0625f, -0.8125f, 1.625f, -3, -1.4375f, 1.3125f,
              -1.4375f, -2.125f, -0.8125f, 1.0625f, 2.0625f, 2.5625f},
             1e-6);
  ExpectNear(run.param_grads[1], {1, -2.25f, 0, 2.25f}, 1e-6);
}

TEST_P(ConvolutionTest, GradientMatchesDifferences) {
  ExpectGradient(Conf("num_filters: 5 kernel: 3 pad: 1 stride: 2"), {2, 3, 7, 6});
}

TEST_P(ConvolutionTest, GradientMatchesDifferencesWithoutBias) {  // 20 channels: by gemm
  ExpectGradient(Conf("num_filters: 6 kernel_x: 2 kernel_y: 3 pad_x: 1 stride_y: 2", "param {}"),
                 {2, 20, 7, 6});
}

TEST_P(ConvolutionTest, GradientMatchesDifferencesOfWholeVectors) {
  ExpectGradient(Conf("num_filters: 16 kernel: 3"), {3, 16, 4, 5});
}

TEST_P(ConvolutionTest, GradientMatchesDifferencesInGroupsAndDilated) {
  ExpectGradient(Conf("num_filters: 6 group: 3 kernel: 3 pad: 2 dilation: 2"), {2, 9, 7, 6});
  ExpectGradient(Conf("num_filters: 5 group: 5 kernel: 3 pad: 1", "param {}"), {3, 5, 5, 7});
  ExpectGradient(Conf("num_filters: 3 kernel: 2 dilation_x: 3 stride_y: 2"), {2, 3, 5, 7});
}

TEST_P(ConvolutionTest, PlainAndVendorAgree) {
  ExpectAgreement("num_filters: 20 kernel: 5", {9, 1, 14, 14});
  ExpectAgreement("num_filters: 50 kernel: 5", {9, 20, 8, 8});
  ExpectAgreement("num_filters: 7 kernel: 3 pad: 2", {5, 33, 6, 9});
  ExpectAgreement("num_filters: 32 kernel: 5 pad: 2", {3, 32, 7, 7});
  ExpectAgreement("num_filters: 24 kernel: 11 stride: 4", {2, 3, 31, 27});
  ExpectAgreement("num_filters: 17 kernel: 1", {1, 17, 3, 3});
  ExpectAgreement("num_filters: 3 kernel_x: 1 kernel_y: 4 pad_y: 3 stride_y: 3", {1, 18, 5, 1});
  ExpectAgreement("num_filters: 2 kernel: 1 pad: 2 stride: 3", {2, 2, 3, 3});
}

TEST_P(ConvolutionTest, PlainAndVendorAgreeInGroupsAndDilated) {
  ExpectAgreement("num_filters: 32 group: 32 kernel: 3 pad: 1", {3, 32, 9, 8});
  ExpectAgreement("num_filters: 20 group: 20 kernel: 3 pad: 1 stride: 2", {3, 20, 9, 8});
  ExpectAgreement("num_filters: 14 group: 7 kernel: 5 pad: 2", {2, 7, 6, 9});
  ExpectAgreement("num_filters: 32 group: 2 kernel: 3 pad: 1", {2, 32, 7, 7});
  ExpectAgreement("num_filters: 6 group: 3 kernel: 1", {2, 9, 4, 5});
  ExpectAgreement("num_filters: 48 group: 48 kernel: 3 pad: 2 dilation: 2", {2, 48, 8, 9});
  ExpectAgreement("num_filters: 16 kernel: 3 pad: 2 dilation: 2", {2, 32, 8, 9});
  ExpectAgreement("num_filters: 5 kernel: 2 dilation_y: 4", {3, 20, 9, 8});
  ExpectAgreement("num_filters: 8 group: 4 kernel: 3 dilation: 3 pad: 3 stride: 2", {2, 12, 9, 11});
  ExpectAgreement("num_filters: 3 kernel: 1 dilation: 2147483647", {2, 3, 4, 5});
}

TEST_P(ConvolutionTest, TwoThreadsAgreeWithOne) {
  const std::string conf = Conf("num_filters: 10 kernel: 3 pad: 1");
  const Shape shape = {7, 20, 9, 9};
  const Values x = RandomValues("x", shape.size()), dy = RandomValues("dy", 7 * 10 * 81);
  const RunResult one = Gradients(conf, shape, x, dy);
  ctx_.threads = 2;
  const RunResult two = Gradients(conf, shape, x, dy);
  ExpectNear(two.outputs[0], one.outputs[0], 2e-5);
  ExpectNear(two.input_grads[0], one.input_grads[0], 2e-5);
  ExpectNear(two.param_grads[0], one.param_grads[0], 2e-5);
}

TEST_P(ConvolutionTest, OldNamesMeanTheSame) {
  for (const char* type : {"kCConvolution", "kCudnnConv"})
    EXPECT_EQ(Build(std::string("type: ") + type +
                        " convolution_conf { num_filters: 4 kernel: 3 } param {} param {}",
                    {2, 3, 7, 6})
                  ->output_shape(),
              Shape({2, 4, 5, 4}));
}

TEST_P(ConvolutionTest, PartsCoverAllFilters) {
  const std::string params = "param {} param {} partition_dim: 1 num_partitions: 3 partition_id: ";
  EXPECT_EQ(Build(Conf("num_filters: 4 kernel: 3", params + "0"), {2, 3, 7, 6})->output_shape(),
            Shape({2, 1, 5, 4}));
  EXPECT_EQ(Build(Conf("num_filters: 4 kernel: 3", params + "2"), {2, 3, 7, 6})->output_shape(),
            Shape({2, 2, 5, 4}));
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 2 kernel: 3", params + "0"), {2, 3, 7, 6}),
                      "convolution_conf.num_filters");
}

TEST_P(ConvolutionTest, RejectsImpossibleSizes) {
  const Shape image = {2, 3, 7, 6};
  EXPECT_CONFIG_ERROR(Build(Conf("kernel: 3"), image), "convolution_conf.num_filters");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 kernel: 0"), image), "convolution_conf.kernel");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 kernel_x: -1"), image),
                      "convolution_conf.kernel_x");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 stride: 0"), image), "convolution_conf.stride");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 stride_y: 0"), image),
                      "convolution_conf.stride_y");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 pad: -1"), image), "convolution_conf.pad");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 4 kernel: 9 pad: 1"), image),
                           "convolution_conf.kernel",
                           "is 9, larger than the padded width of its source, 8");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 4 kernel_y: 8"), image),
                           "convolution_conf.kernel_y", "the padded height of its source, 7");
  EXPECT_CONFIG_ERROR_SAYS(
      Build(Conf("num_filters: 4 kernel: 3 dilation: 4 pad: 1"), image), "convolution_conf.kernel",
      "is 3 with dilation 4, so a window of 9 pixels, larger than the padded width of its source, "
      "8");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 4 dilation: 0"), image),
                           "convolution_conf.dilation", "must be >= 1, is 0");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 dilation_y: -1"), image),
                      "convolution_conf.dilation_y");
  EXPECT_CONFIG_ERROR(
      Build(Conf("num_filters: 2147483647 kernel: 2147483647 pad: 2147483647"), image), "param[0]");
}

TEST_P(ConvolutionTest, RejectsGroupsThatDivideNotBoth) {
  const Shape image = {2, 6, 7, 6};
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 9 group: 2"), image), "convolution_conf.group",
                           "must divide the 6 channels of the source and the 9 filters, is 2");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 8 group: 4"), image), "convolution_conf.group");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 4 group: 0"), image), "convolution_conf.group",
                           "must be >= 1, is 0");
}

TEST_P(ConvolutionTest, LacksABiasIfOneParamIsGivenOrTheConfSaysSo) {
  const auto has_bias = [this](const std::string& more, const std::string& params) {
    return ParamShapes(Conf("num_filters: 4 kernel: 3 " + more, params), {2, 3, 7, 6}).size() == 2;
  };
  EXPECT_TRUE(has_bias("", ""));
  EXPECT_FALSE(has_bias("", "param {}"));
  EXPECT_TRUE(has_bias("", "param {} param {}"));
  for (const char* params : {"", "param {}", "param {} param {}"}) {
    EXPECT_TRUE(has_bias("bias_term: true", params));
    EXPECT_FALSE(has_bias("bias_term: false", params));
  }
}

TEST_P(ConvolutionTest, RejectsSourcesThatAreNoImages) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 4 kernel: 3"), {2, 42}), "srclayers",
                           "(2, 42)");
}

}  // namespace
}  // namespace singa
