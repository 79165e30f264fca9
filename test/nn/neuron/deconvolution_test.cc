// The golden numbers are those of tool/golden/convolution.py.
#include <cmath>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace deconvolution_test {

class DeconvolutionTest : public LayerTest {
 protected:
  RunResult OnRandomNumbers(const std::string& conf, const Shape& shape) {
    const Shape out = Build(conf, shape)->output_shape();
    return Gradients(conf, shape, RandomValues("x", shape.size()), RandomValues("dy", out.size()));
  }

  // A sum has up to `terms` products of N(0, 1) and N(0, 1/4).
  static void ExpectEqual(const RunResult& got, const RunResult& want, double terms) {
    ExpectNear(got.outputs[0], want.outputs[0], 2e-5);
    ExpectNear(got.input_grads[0], want.input_grads[0], 2e-5);
    for (size_t i = 0; i < want.param_grads.size(); ++i)
      ExpectNear(got.param_grads[i], want.param_grads[i], 2e-6 * std::sqrt(terms));
  }

  void ExpectAgreement(const std::string& fields, const Shape& shape) {
    ctx_.plain = true;
    const RunResult want = OnRandomNumbers(Conf(fields), shape);
    ctx_.plain = false;
    const auto pixels = static_cast<double>(want.outputs[0].size());
    ExpectEqual(OnRandomNumbers(Conf(fields), shape), want, pixels);
  }

  static std::string Conf(const std::string& fields,
                          const std::string& params = "param {} param {}") {
    return "type: kDeconvolution convolution_conf { " + fields + " } " + params;
  }
};
SINGA_TEST_ON_ALL_DEVICES(DeconvolutionTest);

TEST_P(DeconvolutionTest, EqualsPyTorch) {
  const RunResult run =
      Gradients(Conf("num_filters: 2 kernel: 3 pad: 1 stride: 2"), {1, 2, 3, 2}, Pattern(12, 7),
                Pattern(30, 2), {.params = {{"0", Pattern(36, 5)}, {"1", Pattern(2, 3)}}});
  ExpectNear(run.outputs[0], {0.5f,   0,       -2.125f,  -1.125f, -2,      -2.25f,  -0.625f, -2.25f,
                              0.875f, 0.75f,   1.0625f,  -1.75f,  -1.75f,  -0.375f, -0.25f,  0.875f,
                              0.875f, -0.875f, -0.0625f, -0.25f,  1.9375f, 0.125f,  -2,      1.125f,
                              0.5f,   0.875f,  -0.25f,   -0.625f, 0.625f,  0.375f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {-1.375f, 0.25f, 0, 0.0625f, 2.25f, -2.5f, 1.1875f, 0, 2.5625f, -4, 1.5f, 0.8125f},
             1e-6);
  ExpectNear(run.param_grads[0],
             {0.9375f,  2.0625f, -1.3125f, -0.1875f, 0.25f,    0.5625f, -0.8125f, -0.75f, 0.375f,
              -0.5625f, -0.375f, 1.1875f,  -0.5625f, -0.6875f, 0,       0.1875f,  2.5f,   -0.125f,
              2.0625f,  1.5625f, -0.1875f, -0.5625f, -0.5f,    0.1875f, 0.3125f,  -1.25f, 1.5f,
              -1.4375f, -0.75f,  0.3125f,  0.1875f,  0.8125f,  0.75f,   -0.6875f, 2.125f, -1},
             1e-6);
  ExpectNear(run.param_grads[1], {1, -2}, 1e-6);
}

TEST_P(DeconvolutionTest, EqualsPyTorchInGroupsAndDilated) {
  const RunResult run = Gradients(Conf("num_filters: 2 group: 2 kernel_y: 2 kernel_x: 3 pad_y: 1 "
                                       "stride_y: 2 dilation_y: 2"),
                                  {1, 4, 2, 3}, Pattern(24, 7), Pattern(30, 2),
                                  {.params = {{"0", Pattern(24, 5)}, {"1", Pattern(2, 3)}}});
  ExpectNear(run.outputs[0], {-0.5f,    -0.5f,    -0.5f, -0.5f, -0.5f, 1.4375f,  -2.25f,   -0.0625f,
                              -1.1875f, -0.9375f, -0.5f, -0.5f, -0.5f, -0.5f,    -0.5f,    0.25f,
                              0.25f,    0.25f,    0.25f, 0.25f, 0.5f,  -0.4375f, -2.0625f, 2.625f,
                              -0.5625f, 0.25f,    0.25f, 0.25f, 0.25f, 0.25f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {-0.0625f, -0.1875f, -0.3125f, 0,      -0.25f,  -0.5f,   -0.1875f, -0.0625f,
              0.0625f,  1.25f,    1.25f,    1.25f,  -0.875f, 0.875f,  -0.125f,  1.4375f,
              -0.375f,  -0.125f,  1.375f,   -0.75f, -0.125f, -1.125f, -0.625f,  -0.125f},
             1e-6);
  ExpectNear(run.param_grads[0],
             {0.3125f,  0.4375f, 0.5625f, 0.125f, 0.625f, 1.125f,  0.6875f, 0.0625f,
              -0.5625f, 0.5f,    0.25f,   0,      1.75f,  -1,      -1,      1.6875f,
              -1.375f,  -1,      0.5f,    -0.25f, 0.375f, 1.8125f, -0.625f, -1},
             1e-6);
  ExpectNear(run.param_grads[1], {1, -2}, 1e-6);
}

TEST_P(DeconvolutionTest, GradientMatchesDifferences) {
  ExpectGradient(Conf("num_filters: 5 kernel: 3 pad: 1 stride: 2"), {2, 3, 4, 3});
  ExpectGradient(Conf("num_filters: 6 kernel_x: 2 kernel_y: 3 pad_x: 1", "param {}"), {3, 7, 3, 5});
  ExpectGradient(Conf("num_filters: 6 group: 3 kernel: 3 stride: 3 dilation: 2"), {2, 9, 3, 2});
}

TEST_P(DeconvolutionTest, PlainAndVendorAgree) {
  ExpectAgreement("num_filters: 16 kernel: 4 pad: 1 stride: 2", {3, 32, 7, 6});
  ExpectAgreement("num_filters: 3 kernel: 4 pad: 1 stride: 2", {2, 20, 5, 5});
  ExpectAgreement("num_filters: 24 group: 24 kernel: 3 stride: 2", {2, 24, 5, 4});
  ExpectAgreement("num_filters: 7 kernel: 2 dilation: 3 pad: 2", {2, 5, 4, 5});
  ExpectAgreement("num_filters: 4 kernel: 1", {1, 3, 1, 1});
}

TEST_P(DeconvolutionTest, TwoThreadsAgreeWithOne) {
  const std::string conf = Conf("num_filters: 10 kernel: 4 pad: 1 stride: 2");
  const RunResult one = OnRandomNumbers(conf, {7, 20, 9, 9});
  ctx_.threads = 2;
  ExpectEqual(OnRandomNumbers(conf, {7, 20, 9, 9}), one, 7 * 81);
}

// With a stride above 1 several lengths of y have x's; the shortest is given.
TEST_P(DeconvolutionTest, MakesLargerImages) {
  const Shape image = {2, 3, 4, 5};
  EXPECT_EQ(Build(Conf("num_filters: 6 kernel: 3 stride: 2"), image)->output_shape(),
            Shape({2, 6, 9, 11}));
  EXPECT_EQ(Build(Conf("num_filters: 6 kernel: 2 stride: 3 pad_y: 1"), {2, 4, 5})->output_shape(),
            Shape({2, 6, 9, 14}));
  EXPECT_EQ(Build(Conf("num_filters: 6 kernel: 3 dilation_x: 2"), image)->param("0").shape(),
            Shape({3, 54}));
}

TEST_P(DeconvolutionTest, StartsAsPyTorchsDoes) {
  const auto layer = Build(Conf("num_filters: 6 group: 2 kernel_x: 2", ""), {2, 4, 4, 5});
  for (const char* name : {"0", "1"}) {
    const ParamGenProto& init = layer->param(name).conf().init();
    EXPECT_EQ(init.type(), kUniform);
    EXPECT_FLOAT_EQ(init.high(), static_cast<float>(1 / std::sqrt(3 * 3 * 2)));
  }
}

TEST_P(DeconvolutionTest, RejectsImpossibleSizes) {
  const Shape image = {2, 6, 3, 4};
  EXPECT_CONFIG_ERROR(Build(Conf("kernel: 3"), image), "convolution_conf.num_filters");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 kernel_y: 0"), image),
                      "convolution_conf.kernel_y");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 stride: 0"), image), "convolution_conf.stride");
  EXPECT_CONFIG_ERROR(Build(Conf("num_filters: 4 dilation: 0"), image),
                      "convolution_conf.dilation");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 4 kernel: 2 pad: 2"), image),
                           "convolution_conf.pad",
                           "must be at most 1, is 2: it is cut from both ends of the output's "
                           "height, which is 4 without it");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 4 group: 3"), image), "convolution_conf.group",
                           "must divide the 6 channels of the source and the 4 filters, is 3");
  EXPECT_CONFIG_ERROR(
      Build(Conf("num_filters: 2147483647 kernel: 2147483647 stride: 2147483647"), image), "");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("num_filters: 4 kernel: 3"), {2, 42}), "srclayers",
                           "(2, 42)");
}

}  // namespace deconvolution_test
}  // namespace singa
