// Tests windows of the whole picture and rounded-up sizes. The golden numbers are those of
// tool/golden/pooling.py.
#include "support/layer_test.h"

namespace singa {
namespace {

class PoolingSizesTest : public LayerTest {
 protected:
  static std::string Conf(const std::string& fields) {
    return "type: kPooling pooling_conf { " + fields + " }";
  }
};
SINGA_TEST_ON_ALL_DEVICES(PoolingSizesTest);

constexpr char kRoundedUp[] =
    " ceil_mode: true kernel_y: 3 kernel_x: 2 pad_y: 1 stride_y: 3 stride_x: 2";

TEST_P(PoolingSizesTest, MaxEqualsPyTorchRoundedUp) {
  const RunResult run = Gradients(Conf(kRoundedUp), {1, 1, 6, 5}, Pattern(30, 7), Pattern(9, 2));
  ExpectNear(run.outputs[0], {1.25f, 0.75f, 1, 1, 1.25f, 0.25f, 1, 0, 0.75f}, 1e-6);
  ExpectNear(run.input_grads[0],
             {0, -0.5f, 0, 0, 0.5f, 0, 0, 0, 0, 0,      0, 0,      -1.25f, 0, 0,
              1, 0,     0, 0, 0,    0, 0, 0, 0, -0.75f, 0, -0.25f, 0.25f,  0, 0.75f},
             1e-6);
}

TEST_P(PoolingSizesTest, MeanEqualsPyTorchRoundedUp) {
  const RunResult run = Gradients(Conf(std::string("pool: AVG") + kRoundedUp), {1, 1, 6, 5},
                                  Pattern(30, 7), Pattern(9, 2));
  ExpectNear(
      run.outputs[0],
      {-0.041666668f, 0, -0.083333336f, 0.041666668f, 0.33333334f, -0.25f, 0.0625f, -0.25f, 0.375f},
      1e-6);
  const float sixth = 1 / 6.f, twelfth = 1 / 12.f, wide = -0.20833333f;
  ExpectNear(run.input_grads[0],
             {-twelfth, -twelfth, 0,    0,    sixth,  -twelfth, -twelfth, 0,       0,       sixth,
              sixth,    sixth,    wide, wide, -0.25f, sixth,    sixth,    wide,    wide,    -0.25f,
              sixth,    sixth,    wide, wide, -0.25f, -0.0625f, -0.0625f, 0.0625f, 0.0625f, 0.375f},
             1e-6);
}

// A further window of each row would begin behind the image.
TEST_P(PoolingSizesTest, NoWindowBeginsBehindTheImage) {
  const Shape image = {1, 1, 6, 6};
  const std::string sides = " ceil_mode: true kernel: 2 stride_y: 4 stride_x: 3";
  ExpectNear(Feature(Conf(sides), image, Pattern(36, 7)), {1.25f, 1, 0.25f, 1.25f}, 1e-6);
  ExpectNear(Feature(Conf("pool: AVG" + sides), image, Pattern(36, 7)),
             {0.125f, -0.125f, -0.5f, -0.0625f}, 1e-6);
  EXPECT_EQ(Build(Conf("ceil_mode: true kernel: 2 pad: 1 stride: 2"), {1, 1, 3, 4})->output_shape(),
            Shape({1, 1, 2, 3}));
}

TEST_P(PoolingSizesTest, OfTheWholePictureEqualsPyTorch) {
  const Shape image = {1, 2, 5, 4};
  ExpectNear(Feature(Conf("global_pooling: true"), image, Pattern(40, 7)), {1.25f, 1.25f}, 1e-6);
  const RunResult mean =
      Gradients(Conf("pool: AVG global_pooling: true"), image, Pattern(40, 7), Pattern(2, 2));
  ExpectNear(mean.outputs[0], {0.0375f, -0.025f}, 1e-6);
  Values want(20, -0.025f);
  want.resize(40, 0);
  ExpectNear(mean.input_grads[0], want, 1e-6);
}

// One chain of float32 sums would be wrong by 1 %.
TEST_P(PoolingSizesTest, TheMeanOfAMillionPixelsIsPrecise) {
  const Values image(1000 * 1000, 0.1f);
  ExpectNear(Feature(Conf("pool: AVG global_pooling: true"), {1, 1, 1000, 1000}, image), {0.1f},
             1e-6);
}

TEST_P(PoolingSizesTest, GradientMatchesDifferencesRoundedUp) {
  const std::string sides = " ceil_mode: true kernel: 3 stride: 2 pad_y: 1";
  ExpectGradient(Conf(sides), {2, 3, 6, 7}, {.distinct = true});
  ExpectGradient(Conf("pool: AVG" + sides), {2, 3, 6, 8});
}

TEST_P(PoolingSizesTest, GradientOfTheWholePictureMatchesDifferences) {
  ExpectGradient(Conf("global_pooling: true"), {2, 3, 5, 7}, {.distinct = true});
  ExpectGradient(Conf("pool: AVG global_pooling: true"), {3, 17, 3, 5});
}

TEST_P(PoolingSizesTest, RejectsTheNumbersOfAWindowBesideTheWholePicture) {
  for (const std::string field : {"kernel", "kernel_x", "kernel_y", "pad", "pad_x", "pad_y",
                                  "stride", "stride_x", "stride_y"})
    EXPECT_CONFIG_ERROR_SAYS(Build(Conf("global_pooling: true " + field + ": 1"), {2, 3, 7, 6}),
                             "pooling_conf." + field, "must not be set beside global_pooling");
}

TEST_P(PoolingSizesTest, RejectsAWindowLargerThanThePictureWhenRoundedUp) {
  EXPECT_CONFIG_ERROR(Build(Conf("ceil_mode: true kernel: 8 pad_y: 1"), {2, 3, 7, 7}),
                      "pooling_conf.kernel");
}

}  // namespace
}  // namespace singa
