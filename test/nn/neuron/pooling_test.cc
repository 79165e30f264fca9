// The golden numbers are those of tool/golden/pooling.py.
#include <cmath>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

class PoolingTest : public LayerTest {
 protected:
  void ExpectAgreement(const std::string& fields, const Shape& shape) {
    const std::string conf = Conf(fields);
    const Shape out = Build(conf, shape)->output_shape();
    Values x = RandomValues("x", shape.size());
    for (float& value : x) value = std::round(4 * value);  // many ties
    const Values dy = RandomValues("dy", out.size());
    ctx_.plain = true;
    const RunResult want = Gradients(conf, shape, x, dy);
    ctx_.plain = false;
    const RunResult got = Gradients(conf, shape, x, dy);
    ExpectNear(got.outputs[0], want.outputs[0], 1e-5);
    ExpectNear(got.input_grads[0], want.input_grads[0], 1e-5);
  }

  static std::string Conf(const std::string& fields) {
    return "type: kPooling pooling_conf { " + fields + " }";
  }
};
SINGA_TEST_ON_ALL_DEVICES(PoolingTest);

TEST_P(PoolingTest, MaxEqualsPyTorch) {
  const RunResult run =
      Gradients(Conf("kernel: 3 pad: 1 stride: 2"), {1, 2, 5, 4}, Pattern(40, 7), Pattern(12, 2));
  ExpectNear(run.outputs[0],
             {1.25f, 1.25f, 1.25f, 1, 1.25f, 1, 0.5f, 1.25f, 0.75f, 1.25f, 1, 1.25f}, 1e-6);
  ExpectNear(run.input_grads[0], {0, -0.5f, 0, 0, 0, 0, 0,     0,      0, 0,     0, 0, -0.75f, 0,
                                  0, 0.25f, 0, 0, 0, 0, 0,     -0.25f, 0, 0.25f, 0, 0, 0,      0,
                                  0, 0.75f, 0, 0, 0, 0, 0.75f, 0,      0, -1,    0, 0},
             1e-6);
}

TEST_P(PoolingTest, MaxEqualsPyTorchNotSquare) {
  const RunResult run = Gradients(Conf("kernel_y: 2 kernel_x: 3 pad_x: 1 stride_y: 2 stride_x: 1"),
                                  {1, 2, 5, 4}, Pattern(40, 7), Pattern(16, 2));
  ExpectNear(run.outputs[0],
             {1.25f, 1.25f, 1.25f, 0.75f, 1.25f, 1.25f, 1, 1, 0.5f, 1, 1.25f, 1.25f, 0.75f, 1.25f,
              1.25f, 1.25f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {0, 0,     0, 0,     0, 0, 0,     1, 0, 0, 0, 0, -2, 0, 0,     0, 0, 0, 0, 0,
              0, 0.75f, 0, -1.5f, 0, 0, 1.25f, 0, 0, 0, 0, 0, 0,  0, 0.25f, 0, 0, 0, 0, 0},
             1e-6);
}

TEST_P(PoolingTest, MeanEqualsPyTorch) {
  const RunResult run = Gradients(Conf("pool: AVG kernel: 3 pad: 1 stride: 2"), {1, 2, 5, 4},
                                  Pattern(40, 7), Pattern(12, 2));
  ExpectNear(run.outputs[0],
             {0.19444445f, 0.055555556f, 0.11111111f, -0.11111111f, 0.055555556f, 0, -0.1388889f,
              0.16666667f, -0.083333336f, 0.055555556f, 0.027777778f, 0.11111111f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {-0.055555556f,
              -0.055555556f,
              0,
              0,
              0,
              0.11111111f,
              0.11111111f,
              0.11111111f,
              0.055555556f,
              0.16666667f,
              0.11111111f,
              0.11111111f,
              -0.083333343f,
              -0.05555556f,
              0.027777776f,
              0.027777776f,
              -0.1388889f,
              -0.22222224f,
              -0.083333336f,
              -0.083333336f,
              -0.027777778f,
              0,
              0.027777778f,
              0.027777778f,
              0.05555556f,
              0.22222224f,
              0.16666667f,
              0.16666667f,
              0.083333336f,
              0.22222224f,
              0.1388889f,
              0.1388889f,
              -0.027777776f,
              0.055555571f,
              0.083333343f,
              0.083333343f,
              -0.11111111f,
              -0.16666667f,
              -0.055555556f,
              -0.055555556f},
             1e-6);
}

TEST_P(PoolingTest, MeanEqualsPyTorchNotSquare) {
  const RunResult run =
      Gradients(Conf("pool: AVG kernel_y: 2 kernel_x: 3 pad_x: 1 stride_y: 2 stride_x: 1"),
                {1, 2, 5, 4}, Pattern(40, 7), Pattern(16, 2));
  ExpectNear(
      run.outputs[0],
      {0.29166666f, 0.16666667f, 0.083333336f, -0.125f, 0, -0.041666668f, -0.125f, 0.041666668f,
       -0.20833333f, -0.125f, 0.25f, 0.29166666f, -0.041666668f, 0.125f, 0.041666668f, 0},
      1e-6);
  ExpectNear(run.input_grads[0],
             {-0.083333336f,
              0,
              0.25f,
              0.25f,
              -0.083333336f,
              0,
              0.25f,
              0.25f,
              -0.33333331f,
              -0.37499997f,
              -0.125f,
              0,
              -0.33333331f,
              -0.37499997f,
              -0.125f,
              0,
              0,
              0,
              0,
              0,
              0.33333331f,
              0.16666664f,
              -0.041666679f,
              -0.25f,
              0.33333331f,
              0.16666664f,
              -0.041666679f,
              -0.25f,
              0.083333336f,
              0.25f,
              0.041666672f,
              -0.041666657f,
              0.083333336f,
              0.25f,
              0.041666672f,
              -0.041666657f,
              0,
              0,
              0,
              0},
             1e-6);
}

TEST_P(PoolingTest, OfEqualValuesTheFirstAloneGetsTheGradient) {
  const RunResult run =
      Gradients(Conf("kernel: 2 stride: 2"), {1, 1, 2, 4}, {0, 7, -1, -1, 7, 7, -1, -1}, {1, 2});
  ExpectNear(run.outputs[0], {7, -1}, 0);
  ExpectNear(run.input_grads[0], {0, 1, 2, 0, 0, 0, 0, 0}, 0);
}

TEST_P(PoolingTest, PaddingNeverWins) {
  ExpectNear(Feature(Conf("kernel: 2 pad: 1 stride: 2"), {1, 1, 2, 2}, {-1, -2, -3, -4}),
             {-1, -2, -3, -4}, 0);
}

TEST_P(PoolingTest, KernelThreeAndStrideTwoAreTheDefaults) {
  EXPECT_EQ(Build("type: kPooling", {2, 3, 8, 7})->output_shape(), Shape({2, 3, 3, 3}));
}

TEST_P(PoolingTest, OldNamesMeanTheSame) {
  for (const char* type : {"kCPooling", "kCudnnPool"})
    EXPECT_EQ(Build(std::string("type: ") + type, {2, 3, 8, 7})->output_shape(),
              Shape({2, 3, 3, 3}));
}

TEST_P(PoolingTest, AcceptsImagesWithoutChannels) {
  EXPECT_EQ(Build("type: kPooling", {2, 8, 7})->output_shape(), Shape({2, 1, 3, 3}));
}

TEST_P(PoolingTest, GradientOfMaxMatchesDifferences) {
  ExpectGradient(Conf("kernel: 3 stride: 2 pad: 1"), {2, 3, 7, 6}, {.distinct = true});
}

TEST_P(PoolingTest, GradientOfMeanMatchesDifferences) {
  ExpectGradient(Conf("pool: AVG kernel: 3 stride: 2 pad: 1"), {2, 3, 7, 6});
}

TEST_P(PoolingTest, PlainAndVendorAgree) {
  for (const std::string method : {"MAX", "AVG"}) {
    const std::string pool = "pool: " + method;
    ExpectAgreement(pool + " kernel: 2 stride: 2", {3, 20, 8, 8});
    ExpectAgreement(pool + " kernel: 3 stride: 2", {2, 32, 9, 10});
    ExpectAgreement(pool + " kernel: 3 stride: 1 pad: 1", {1, 50, 5, 4});
    ExpectAgreement(pool + " kernel: 2 stride: 3", {2, 16, 9, 8});
    ExpectAgreement(pool + " kernel_y: 5 kernel_x: 1 stride_y: 2 stride_x: 3 pad_y: 4",
                    {2, 17, 7, 8});
    ExpectAgreement(pool + " kernel: 7 stride: 1", {2, 15, 7, 7});
    ExpectAgreement(pool + " kernel: 40 stride: 1 pad: 10", {1, 16, 21, 23});
    ExpectAgreement(pool + " ceil_mode: true kernel: 3 stride: 2", {2, 32, 8, 10});
    ExpectAgreement(pool + " ceil_mode: true kernel_y: 5 kernel_x: 4 pad: 2 stride: 3",
                    {3, 18, 9, 7});
    ExpectAgreement(pool + " global_pooling: true", {2, 33, 7, 7});
  }
}

TEST_P(PoolingTest, TwoThreadsAgreeWithOne) {
  const Shape shape = {7, 20, 40, 40};
  const Values x = RandomValues("x", shape.size()), dy = RandomValues("dy", 7 * 20 * 20 * 20);
  const RunResult one = Gradients(Conf("kernel: 2"), shape, x, dy);
  ctx_.threads = 2;
  const RunResult two = Gradients(Conf("kernel: 2"), shape, x, dy);
  ExpectNear(two.outputs[0], one.outputs[0], 0);
  ExpectNear(two.input_grads[0], one.input_grads[0], 0);
}

TEST_P(PoolingTest, RejectsImpossibleSizes) {
  const Shape image = {2, 3, 7, 6};
  EXPECT_CONFIG_ERROR(Build(Conf("kernel: 0"), image), "pooling_conf.kernel");
  EXPECT_CONFIG_ERROR(Build(Conf("kernel_y: 8"), image), "pooling_conf.kernel_y");
  EXPECT_CONFIG_ERROR(Build(Conf("stride: 0"), image), "pooling_conf.stride");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("stride_x: -1"), image), "pooling_conf.stride_x", "is -1");
  EXPECT_CONFIG_ERROR(Build(Conf("pad_y: -1"), image), "pooling_conf.pad_y");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("kernel: 2 pad: 2"), image), "pooling_conf.pad",
                           "must be less than the kernel, 2, is 2");
  EXPECT_CONFIG_ERROR(Build(Conf("kernel: 2 pad: 4294967295"), image), "pooling_conf.pad");
}

TEST_P(PoolingTest, RejectsSourcesThatAreNoImages) {
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kPooling", {2, 42}), "srclayers", "(2, 42)");
}

}  // namespace
}  // namespace singa
