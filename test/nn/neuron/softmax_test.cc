// The golden numbers are those of tool/golden/activations.py.
#include "support/golden_activation.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class SoftmaxTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(SoftmaxTest);

const Values kYOfRowsOf3 = {0.052806411f, 0.30387989f, 0.64331377f,
                            0.065361641f, 0.1383706f,  0.79626781f};
const Values kDxOfRowsOf3 = {-0.02688643f,  -0.61054057f, 0.63742691f,
                             -0.092785582f, -0.36939034f, 0.46217585f};

TEST_P(SoftmaxTest, EqualsPyTorch) {
  for (const char* conf : {"type: kSoftmax", "type: kCudnnSoftmax"}) {
    const RunResult run = Gradients(conf, {2, 3}, kGoldenX, kGoldenDy);
    ExpectNear(run.outputs[0], kYOfRowsOf3, 1e-6);
    ExpectNear(run.input_grads[0], kDxOfRowsOf3, 1e-6);
  }
}

TEST_P(SoftmaxTest, PartsOfARowAreSoftmaxesOfTheirOwn) {
  const RunResult run = Gradients("type: kSoftmax softmax_conf { num_softmax_per_instance: 2 }",
                                  {1, 6}, kGoldenX, kGoldenDy);
  ExpectNear(run.outputs[0], kYOfRowsOf3, 1e-6);
  ExpectNear(run.input_grads[0], kDxOfRowsOf3, 1e-6);
}

TEST_P(SoftmaxTest, FlattensImagesInLogicalOrder) {
  const RunResult run = Gradients("type: kSoftmax", {1, 3, 1, 2}, kGoldenX, kGoldenDy);
  ExpectNear(run.outputs[0],
             {0.0030652692f, 0.017639406f, 0.037342619f, 0.061567575f, 0.13033856f, 0.75004661f},
             1e-6);
  ExpectNear(
      run.input_grads[0],
      {-0.0056330487f, -0.058875065f, -0.012610643f, -0.082359008f, -0.33727723f, 0.49675506f},
      1e-6);
}

TEST_P(SoftmaxTest, PartsOfAnImageAreRunsOfItsLogicalOrder) {
  const RunResult run = Gradients("type: kSoftmax softmax_conf { num_softmax_per_instance: 2 }",
                                  {1, 3, 1, 2}, kGoldenX, kGoldenDy);
  ExpectNear(run.outputs[0], kYOfRowsOf3, 1e-6);
  ExpectNear(run.input_grads[0], kDxOfRowsOf3, 1e-6);
}

TEST_P(SoftmaxTest, OutputIsAMatrix) {
  EXPECT_EQ(Build("type: kSoftmax", {5, 3, 4, 2})->output_shape(), Shape({5, 24}));
}

TEST_P(SoftmaxTest, LargeLogitsDoNotOverflow) {
  ExpectNear(Feature("type: kSoftmax", {2, 2}, {1e30f, -1e30f, -300, -300}), {1, 0, 0.5f, 0.5f}, 0);
}

TEST_P(SoftmaxTest, GradientMatchesDifferences) {
  ExpectGradient("type: kSoftmax", {1, 1});
  ExpectGradient("type: kSoftmax", {3, 37});
  ExpectGradient("type: kSoftmax", {2, 3, 2, 5});
  ExpectGradient("type: kSoftmax softmax_conf { num_softmax_per_instance: 5 }", {3, 35});
}

TEST_P(SoftmaxTest, RejectsPartsThatDoNotDivideARow) {
  EXPECT_CONFIG_ERROR_SAYS(
      Build("type: kSoftmax softmax_conf { num_softmax_per_instance: 2 }", {4, 7}),
      "softmax_conf.num_softmax_per_instance",
      "must be >= 1 and divide the 7 units of a row, is 2");
  EXPECT_CONFIG_ERROR(Build("type: kSoftmax softmax_conf { num_softmax_per_instance: 0 }", {4, 7}),
                      "softmax_conf.num_softmax_per_instance");
}

}  // namespace
}  // namespace singa
