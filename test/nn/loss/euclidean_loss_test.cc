// The golden numbers are those of tool/golden/normalisation.py.
#include <cmath>

#include "nn/loss/euclidean_loss.h"
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

constexpr char kR2[] = "type: kEuclideanLoss euclidean_loss_conf { r2: true }";

// As r2_score of scikit-learn.
TEST_P(EuclideanLossTest, R2IsTheMeanOverColumns) {
  const std::vector<Input> inputs = {{.shape = {3, 2}, .data = {1.5f, 4, 3, 0, 5.5f, 2}},
                                     {.shape = {3, 2}, .data = {1, 2, 3, 2, 5, 2}}};
  std::vector<Input> other = inputs;
  other[1].data = {1, 2, 3, 2, 5, 4};
  const auto constant = Build(kR2, inputs), layer = Build(kR2, other);
  for (BuiltLayer* one : {constant.get(), layer.get()}) {
    one->BeginStep(0);
    one->Forward(kTest);
  }
  // The second column of targets is constant, and its predictions are not exact.
  EXPECT_DOUBLE_EQ(constant->metric("r2"), (1 - 0.5 / 8) / 2);
  const double spread = 4. + 4 + 16 - 64. / 3, errors = 4. + 4 + 4;
  EXPECT_DOUBLE_EQ(layer->metric("r2"), (1 - 0.5 / 8 + 1 - errors / spread) / 2);
}

TEST_P(EuclideanLossTest, R2CountsAllBatches) {
  const auto layer = Build(kR2, {{.shape = {1, 1}, .data = {2}}, {.shape = {1, 1}, .data = {1}}});
  layer->BeginStep(0);
  layer->Forward(kTest);
  EXPECT_TRUE(std::isnan(layer->metric("r2")));  // one row has no deviation
  layer->SetInput(0, {4});
  layer->SetInput(1, {5});
  layer->Forward(kTest);
  EXPECT_DOUBLE_EQ(layer->metric("r2"), 1 - 2. / 8);
}

TEST_P(EuclideanLossTest, R2OfTargetsFarFromZeroIsThatOfTheirDeviations) {
  const auto layer = Build(kR2, {{.shape = {2, 1}, .data = {1e6f - 0.5f, 1e6f + 0.5f}},
                                 {.shape = {2, 1}, .data = {1e6f - 1, 1e6f + 1}}});
  layer->BeginStep(0);
  for (int i = 0; i < 3; ++i) layer->Forward(kTest);
  EXPECT_DOUBLE_EQ(layer->metric("r2"), 0.75);
}

TEST_P(EuclideanLossTest, R2OfManyEqualTargetsIsZeroUnlessPredictionsAreExact) {
  const auto layer = Build(kR2, {{.shape = {7, 1}, .data = Values(7, 0.2f)},
                                 {.shape = {7, 1}, .data = Values(7, 0.1f)}});
  layer->BeginStep(0);
  for (int i = 0; i < 1000; ++i) layer->Forward(kTest);
  EXPECT_EQ(layer->metric("r2"), 0);
}

TEST_P(EuclideanLossTest, ExactPredictionsOfOneTargetHaveR2One) {
  const Values same(7, 0.1f);
  const auto layer = Build(kR2, {{.shape = {7, 1}, .data = same}, {.shape = {7, 1}, .data = same}});
  layer->BeginStep(0);
  for (int i = 0; i < 100; ++i) layer->Forward(kTest);
  EXPECT_EQ(layer->metric("r2"), 1);
}

TEST_P(EuclideanLossTest, HasR2OnlyIfAskedAndForAHundredColumns) {
  EXPECT_EQ(Build(kLoss, {Shape({2, 3}), Shape({2, 3})})->declare().declared().metrics.size(), 2u);
  EXPECT_CONFIG_ERROR_SAYS(Build(kR2, {Shape({2, 101}), Shape({2, 101})}), "euclidean_loss_conf.r2",
                           "at most 100 columns, the rows have 101");
}

TEST(EuclideanLossBits, AreThoseOfOneThread) {
  const int64_t n = 100, d = 2000;
  const Values x = Pattern(n * d, 3), t = Pattern(n * d, 5);
  Values one(2 * n), four(2 * n);
  Context ctx;
  ctx.threads = 1;
  RowDistances(ctx, x.data(), t.data(), one.data(), one.data() + n, n, d);
  ctx.threads = 4;
  RowDistances(ctx, x.data(), t.data(), four.data(), four.data() + n, n, d);
  EXPECT_EQ(one, four);
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
