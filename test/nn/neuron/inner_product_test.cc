// The golden numbers are those of tool/golden/inner_product.py.
#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

class InnerProductTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(InnerProductTest);

const char* const kFour =
    "type: kInnerProduct innerproduct_conf { num_output: 4 } param {} param {}";

// Returns the [cols, rows] transpose of a [rows, cols] matrix.
Values TransposeOf(const Values& x, size_t rows, size_t cols) {
  Values y(x.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < cols; ++j) y[j * rows + i] = x[i * cols + j];
  return y;
}

const Values kY = {1.125f, -0.8125f, 0, -1.9375f, -3.875f, 2.5625f, -0.625f, -1.75f};
const Values kDx = {0.375f,  -1.125f, 0.125f,  -1.375f, -0.125f, 1.125f,  1,      0.875f,
                    -0.625f, 0.625f,  -0.875f, 0.375f,  0.375f,  -0.75f,  0.875f, -0.25f,
                    1.375f,  0.9375f, 1.1875f, -0.625f, -1.75f,  -0.125f, -1.25f, 0.375f};
const Values kDw = {-1.3125f, -0.9375f, 0.8125f,  -0.875f,  -0.5f,    1.25f,    -0.4375f, -0.0625f,
                    1.6875f,  0,        0.375f,   -1.3125f, -0.9375f, -0.1875f, 0.5625f,  -0.75f,
                    0,        0.75f,    -0.5625f, 0.1875f,  0.9375f,  -0.375f,  0.375f,   -0.9375f,
                    -0.5625f, 0.5625f,  0.3125f,  -0.625f,  0.5f,     0.25f,    -0.6875f, 0.4375f,
                    0.1875f,  -0.75f,   0.375f,   -0.5625f, -0.1875f, 1.3125f,  0.0625f,  -0.5f,
                    1,        -0.25f,   -0.8125f, 0.6875f,  -0.5625f, -1.125f,  0.375f,   -0.1875f};
const Values kDb = {-1.75f, -0.75f, 0.25f, 1.25f};

TEST_P(InnerProductTest, EqualsPyTorchOnImages) {
  const RunResult run = Gradients(kFour, {2, 3, 2, 2}, Pattern(24, 7), Pattern(8, 2),
                                  {.params = {{"0", Pattern(48, 5)}, {"1", Pattern(4, 3)}}});
  ExpectNear(run.outputs[0], kY, 1e-6);
  ExpectNear(run.input_grads[0], kDx, 1e-6);
  ExpectNear(run.param_grads[0], kDw, 1e-6);
  ExpectNear(run.param_grads[1], kDb, 1e-6);
}

TEST_P(InnerProductTest, TransposedWeightIsTheSameProduct) {
  const RunResult run = Gradients(
      "type: kInnerProduct innerproduct_conf { num_output: 4 transpose: true } param {} param {}",
      {2, 3, 2, 2}, Pattern(24, 7), Pattern(8, 2),
      {.params = {{"0", TransposeOf(Pattern(48, 5), 4, 12)}, {"1", Pattern(4, 3)}}});
  ExpectNear(run.outputs[0], kY, 1e-6);
  ExpectNear(run.input_grads[0], kDx, 1e-6);
  ExpectNear(run.param_grads[0], TransposeOf(kDw, 4, 12), 1e-6);
}

TEST_P(InnerProductTest, GradientMatchesDifferences) { ExpectGradient(kFour, {3, 7}); }

TEST_P(InnerProductTest, GradientMatchesDifferencesWithSixteenRows) {  // w x^T on oneDNN
  ExpectGradient(kFour, {16, 7});
}

TEST_P(InnerProductTest, GradientMatchesDifferencesTransposedWithoutBias) {
  ExpectGradient(
      "type: kInnerProduct innerproduct_conf { num_output: 5 transpose: true bias_term: false } "
      "param {}",
      {3, 7});
}

TEST_P(InnerProductTest, GradientMatchesDifferencesOnImages) {
  ExpectGradient(kFour, {2, 3, 5, 4});
}

TEST_P(InnerProductTest, PlainAndVendorAgree) {
  const std::string conf =
      "type: kInnerProduct innerproduct_conf { num_output: 150 } param {} param {}";
  for (const Shape& shape :
       {Shape({1, 5}), Shape({32, 333}), Shape({33, 20, 4, 5}), Shape({144, 65})}) {
    const Values x = RandomValues("x", shape.size()), dy = RandomValues("dy", shape[0] * 150);
    ctx_.plain = true;
    const RunResult want = Gradients(conf, shape, x, dy);
    ctx_.plain = false;
    const RunResult got = Gradients(conf, shape, x, dy);
    ExpectNear(got.outputs[0], want.outputs[0], 2e-5);
    ExpectNear(got.input_grads[0], want.input_grads[0], 2e-5);
    ExpectNear(got.param_grads[0], want.param_grads[0], 2e-5);
    ExpectNear(got.param_grads[1], want.param_grads[1], 2e-5);
  }
}

TEST_P(InnerProductTest, PartsCoverAllOutputs) {
  const std::string conf =
      "type: kInnerProduct innerproduct_conf { num_output: 5 } param {} param {} "
      "partition_dim: 1 num_partitions: 2 partition_id: ";
  EXPECT_EQ(Build(conf + "0", {3, 7})->output_shape(), Shape({3, 2}));
  EXPECT_EQ(Build(conf + "1", {3, 7})->output_shape(), Shape({3, 3}));
  EXPECT_EQ(Build(conf + "1", {3, 7})->param("0").shape(), Shape({3, 7}));
}

TEST_P(InnerProductTest, RejectsMorePartsThanOutputs) {
  EXPECT_CONFIG_ERROR(
      Build("type: kInnerProduct innerproduct_conf { num_output: 1 } param {} param {} "
            "partition_dim: 1 num_partitions: 2",
            {3, 7}),
      "innerproduct_conf.num_output");
}

TEST_P(InnerProductTest, RejectsNoOutputs) {
  EXPECT_CONFIG_ERROR_SAYS(
      Build("type: kInnerProduct innerproduct_conf { num_output: 0 } param {} param {}", {3, 7}),
      "innerproduct_conf.num_output", "must be >= 1, is 0");
}

TEST_P(InnerProductTest, NeedsNoParamBlocks) {
  const std::string conf = "type: kInnerProduct innerproduct_conf { num_output: 4 ";
  for (const char* blocks : {"", "param {}", "param {} param {}"})
    EXPECT_EQ(ParamShapes(StrCat(conf, "} ", blocks), {3, 7}), (std::vector<Shape>{{4, 7}, {4}}));
  EXPECT_EQ(ParamShapes(conf + "bias_term: false }", {3, 7}), (std::vector<Shape>{{4, 7}}));
}

TEST_P(InnerProductTest, RejectsWeightsBeyondMemory) {
  EXPECT_CONFIG_ERROR(
      Build("type: kInnerProduct innerproduct_conf { num_output: 2000000000 } param {} param {}",
            {1, 1000000}),
      "param[0]");
}

TEST_P(InnerProductTest, RejectsTwoSources) {
  EXPECT_CONFIG_ERROR(Build(kFour, std::vector<Shape>{{3, 7}, {3, 7}}), "srclayers#1");
}

}  // namespace
}  // namespace singa
