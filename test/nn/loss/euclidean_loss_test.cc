// The golden numbers are those of tool/golden/normalisation.py.
#include <cmath>

#include "support/layer_test.h"

namespace singa {
namespace {

class EuclideanLossTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(EuclideanLossTest);

constexpr char kLoss[] = "type: kEuclideanLoss";

TEST_P(EuclideanLossTest, FeatureAndLossAreSquaredDistances) {
  const std::vector<Input> inputs = {{.shape = {2, 2}, .data = {1, 2, 3, 4}},
                                     {.shape = {2, 2}, .data = {1, 0, 6, 8}}};
  const auto layer = Build(kLoss, inputs);
  layer->BeginStep(0);
  layer->Forward(kTrain);
  EXPECT_EQ(layer->Output(), (Values{4, 25}));
  EXPECT_DOUBLE_EQ(layer->metric("loss"), 14.5);
  EXPECT_DOUBLE_EQ(layer->metric("mae"), 9. / 4);
  layer->Backward({});
  EXPECT_EQ(layer->InputGradient(0), (Values{0, 1, -1.5f, -2}));
  EXPECT_EQ(layer->InputGradient(1), (Values{0, -1, 1.5f, 2}));
}

TEST_P(EuclideanLossTest, EqualsPyTorch) {
  const std::vector<Input> inputs = {
      {.shape = {2, 3}, .data = {-0.5f, 1.25f, 0.25f, -0.75f, 1, 0}},
      {.shape = {2, 3}, .data = {-0.5f, 0, 0.5f, 1, -1.25f, -0.75f}}};
  const RunResult run = Gradients("type: kEuclideanLoss", inputs, {});
  EXPECT_EQ(run.input_grads[0], (Values{0, 0.625f, -0.125f, -0.875f, 1.125f, 0.375f}));
  EXPECT_EQ(run.input_grads[1], (Values{0, -0.625f, 0.125f, 0.875f, -1.125f, -0.375f}));
}

TEST_P(EuclideanLossTest, GradientIsThatOfHalfTheLoss) {
  const GradientOptions half = {.loss_factor = 0.5};
  ExpectGradient(kLoss, {Shape({1, 1}), Shape({1, 1})}, half);
  ExpectGradient(kLoss, {Shape({3, 37}), Shape({3, 37})}, half);
  ExpectGradient(kLoss, {Shape({2, 3, 4, 5}), Shape({2, 3, 4, 5})}, half);
}

TEST_P(EuclideanLossTest, ComparesImagesWithFlatRowsInLogicalOrder) {
  const GradientOptions half = {.loss_factor = 0.5};
  ExpectGradient(kLoss, {Shape({2, 3, 2, 5}), Shape({2, 30})}, half);
  ExpectGradient(kLoss, {Shape({2, 30}), Shape({2, 3, 2, 5})}, half);
  Values x(12);
  for (int i = 0; i < 12; ++i) x[i] = static_cast<float>(i);
  EXPECT_EQ(Feature(kLoss, {{.shape = {1, 3, 2, 2}, .data = x}, {.shape = {1, 12}, .data = x}}),
            (Values{0}));
}

TEST_P(EuclideanLossTest, AbsoluteErrorsAddUpInBlocks) {
  const Values x = Pattern(1500, 3), t = Pattern(1500, 5);
  double sum = 0;
  for (int i = 0; i < 1500; ++i) sum += std::abs(x[i] - t[i]);
  const auto layer = Build(kLoss, {{.shape = {3, 500}, .data = x}, {.shape = {3, 500}, .data = t}});
  layer->BeginStep(0);
  layer->Forward(kTest);
  EXPECT_NEAR(layer->metric("mae"), sum / 1500, 1e-6);
}

TEST_P(EuclideanLossTest, RejectsRowsOfOtherSizes) {
  EXPECT_CONFIG_ERROR_SAYS(Build(kLoss, {Shape({2, 3}), Shape({2, 4})}), "srclayers#1",
                           "(2, 3) and (2, 4)");
  EXPECT_CONFIG_ERROR(Build(kLoss, {Shape({2, 3}), Shape({3, 3})}), "srclayers#1");
  EXPECT_CONFIG_ERROR(Build(kLoss, {2, 3}), "srclayers");
}

class ArgSortTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(ArgSortTest);

TEST_P(ArgSortTest, GivesTheBestIndicesBestFirst) {
  EXPECT_EQ(Feature("type: kArgSort argsort_conf { topk: 2 }", {2, 4}, {1, 3, 2, 0, 5, 5, -1, 5}),
            (Values{1, 2, 3, 1}));
  EXPECT_EQ(Feature("type: kArgSort", {1, 2, 1, 2}, {0, 1, 9, 3}), (Values{2}));  // flattened
}

TEST_P(ArgSortTest, RejectsMoreThanThereAre) {
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kArgSort argsort_conf { topk: 5 }", {2, 4}),
                           "argsort_conf.topk", "in [1, 4]");
  EXPECT_CONFIG_ERROR(Build("type: kArgSort argsort_conf { topk: 0 }", {2, 4}),
                      "argsort_conf.topk");
}

}  // namespace
}  // namespace singa
