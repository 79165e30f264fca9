// Tests kSoftmaxLoss with class_weight. The golden numbers are those of
// tool/golden/softmax_loss.py.
#include "nn/loss/class_weights.h"

#include "nn/loss/scale_gradient.h"
#include "nn/loss/softmax_loss.h"
#include "support/layer_test.h"

namespace singa::class_weights_test {
namespace {

class ClassWeightsTest : public LayerTest {
 protected:
  static std::string Conf(const std::string& more) {
    return StrCat("type: kSoftmaxLoss softmaxloss_conf { ", more, " }");
  }
  static std::vector<Input> Sources(const Shape& shape, const Values& x,
                                    const std::vector<int>& labels) {
    return {{.shape = shape, .data = x},
            {.shape = {shape[0], 1}, .labels = labels, .gradient = false}};
  }
  double Metric(const std::string& conf, const std::vector<Input>& sources, const char* metric) {
    const std::unique_ptr<BuiltLayer> layer = Build(conf, sources);
    layer->BeginStep(0);
    layer->Forward(kTrain);
    return layer->metric(metric);
  }
};
SINGA_TEST_ON_ALL_DEVICES(ClassWeightsTest);

const Values kLogits = {1, 2, 0.5f, -1, 0, 0.25f, 3, 1.5f, -2, 4, 0, 1};
const std::vector<int> kClasses = {1, 3, 0};
const std::string kWeights = "class_weight: [0.5, 2, 1, 3] ";

TEST_P(ClassWeightsTest, EqualPyTorchs) {
  const auto sources = Sources({3, 4}, kLogits, kClasses);
  EXPECT_NEAR(Metric(Conf(kWeights), sources, "loss"), 1.7082551, 1e-6);
  EXPECT_NEAR(Metric(Conf(kWeights), sources, "accuracy"), 1. / 3, 1e-9);
  ExpectNear(Gradients(Conf(kWeights), sources, {}).input_grads[0],
             {0.081530116f, -0.14201453f, 0.049450513f, 0.011033903f, 0.020313932f, 0.026083605f,
              0.40801629f, -0.45441383f, -0.090698607f, 0.084915631f, 0.0015552837f, 0.0042276997f},
             1e-6);
}

TEST_P(ClassWeightsTest, OfSmoothedLabelsEqualPyTorchs) {
  const auto sources = Sources({3, 4}, kLogits, kClasses);
  const std::string conf = Conf(kWeights + "label_smoothing: 0.2");
  EXPECT_NEAR(Metric(conf, sources, "loss"), 1.7670498, 1e-6);
  ExpectNear(Gradients(conf, sources, {}).input_grads[0],
             {0.073927283f, -0.095779896f, 0.038505208f, -0.016652597f, 0.013906367f, 0.0055107903f,
              0.36152387f, -0.38094103f, -0.076967523f, 0.10494584f, -0.0068357475f, -0.021142563f},
             1e-6);
}

TEST_P(ClassWeightsTest, IgnoredRowsHaveNone) {
  const auto sources = Sources({3, 4}, kLogits, kClasses);
  EXPECT_NEAR(Metric(Conf(kWeights + "ignore_label: 3"), sources, "loss"), 1.6097858, 1e-6);
  ExpectNear(Gradients(Conf(kWeights + "ignore_label: 3"), sources, {}).input_grads[0],
             {0.17936626f, -0.31243196f, 0.10879113f, 0.024274586f, 0, 0, 0, 0, -0.19953693f,
              0.18681438f, 0.003421624f, 0.0093009388f},
             1e-6);
  const std::string smooth = Conf(kWeights + "ignore_label: 3 label_smoothing: 0.2");
  EXPECT_NEAR(Metric(smooth, sources, "loss"), 1.9010687, 1e-6);
  ExpectNear(Gradients(smooth, sources, {}).input_grads[0],
             {0.16264002f, -0.21071577f, 0.084711455f, -0.036635712f, 0, 0, 0, 0, -0.16932856f,
              0.23088084f, -0.015038645f, -0.046513636f},
             1e-6);
}

TEST_P(ClassWeightsTest, EqualWeightsChangeNothing) {
  const auto sources = Sources({3, 4}, kLogits, kClasses);
  const std::string more = "scale: 0.5 bits: true label_smoothing: 0.1 ";
  const RunResult plain = Gradients(Conf(more), sources, {});
  const std::string weighted = Conf(more + "class_weight: [2, 2, 2, 2]");
  ExpectNear(Gradients(weighted, sources, {}).input_grads[0], plain.input_grads[0], 1e-6);
  for (const char* metric : {"loss", "bits", "accuracy"})
    EXPECT_NEAR(Metric(weighted, sources, metric), Metric(Conf(more), sources, metric), 1e-6)
        << metric;
}

TEST_P(ClassWeightsTest, GradientMatchesDifferences) {
  std::string weights;
  for (int j = 0; j < 37; ++j) weights += StrCat("class_weight: ", 0.25 * (j % 5), " ");
  for (const char* more : {"", "label_smoothing: 0.3", "scale: 2"})
    ExpectGradient(Conf(weights + more), Sources({3, 37}, {}, {1, 36, 17}));
  std::string of_image;
  for (int j = 0; j < 30; ++j) of_image += StrCat("class_weight: ", 1 + j, " ");
  ExpectGradient(Conf(of_image), Sources({2, 3, 2, 5}, {}, {29, 4}));
}

TEST_P(ClassWeightsTest, EachFoldedStepHasItsOwnMean) {
  std::vector<Input> sources = Sources({3, 4}, kLogits, kClasses);  // 3 steps of a batch of 1
  for (Input& source : sources) source.span = {.rows = 1, .batch = 1, .steps = 3};
  const Values dx = Gradients(Conf(kWeights), sources, {}).input_grads[0];
  for (int t = 0; t < 3; ++t) {
    const auto step = Sources({1, 4}, Values(kLogits.begin() + 4 * t, kLogits.begin() + 4 * t + 4),
                              {kClasses[t]});
    ExpectNear(Values(dx.begin() + 4 * t, dx.begin() + 4 * t + 4),
               Gradients(Conf(kWeights), step, {}).input_grads[0], 1e-6);
  }
}

TEST_P(ClassWeightsTest, RowsWithoutWeightGiveNoGradient) {
  const auto sources = Sources({3, 4}, kLogits, {2, 2, 2});
  const Values dx = Gradients(Conf("class_weight: [1, 1, 0, 1]"), sources, {}).input_grads[0];
  ExpectNear(dx, Values(12, 0.f), 0);
}

TEST_P(ClassWeightsTest, ABatchWithoutWeightCountsInNoLoss) {
  const auto layer = Build(Conf("class_weight: [1, 1, 0, 1]"), Sources({1, 4}, {1, 2, 3, 4}, {2}));
  layer->BeginStep(0);
  layer->Forward(kTrain);
  const auto* const cell = layer->declare().declared().metrics[0].cell.as<double>();
  if (!ctx_.stream) {
    EXPECT_EQ(std::vector<double>(cell, cell + 2), std::vector<double>(2));
  }
  EXPECT_EQ(layer->metric("accuracy"), 0);
}

TEST_P(ClassWeightsTest, TheSmallestWeightsGiveFiniteGradients) {
  const auto sources = Sources({1, 4}, {0, 0, 0, 0}, {2});
  ExpectNear(Gradients(Conf("class_weight: [1, 1, 1e-38, 1]"), sources, {}).input_grads[0],
             {0.25f, 0.25f, -0.75f, 0.25f}, 1e-5);
}

TEST(LossBits, AreThoseOfOneThread) {
  constexpr int64_t kRows = 100, kClassCount = 2000, kAll = kRows * kClassCount;
  Values p = Pattern(kAll, 3), one(kAll), four(kAll);
  for (float& share : p) share = (share + 1.25f) / 2500;
  std::vector<int32_t> label(kRows);
  for (int i = 0; i < kRows; ++i) label[i] = i % 7;
  const Values weight = Values(kClassCount, 0.5f);
  const ClassWeights weights = {weight.data(), 1000};
  const double total = 50;
  for (Values* dx : {&one, &four}) {
    Context ctx;
    ctx.threads = dx == &one ? 1 : 4;
    WeightedSoftmaxLossBackward(ctx, p.data(), label.data(), 3, weights, &total, 1, dx->data(),
                                kRows, kClassCount, 0.3f, 0.1f);
    ScaleGradient(ctx, dx->data(), kAll, 0.7f, nullptr);
  }
  EXPECT_EQ(one, four);
  for (Values* dx : {&one, &four}) {
    Context ctx;
    ctx.threads = dx == &one ? 1 : 4;
    SoftmaxLossBackward(ctx, p.data(), label.data(), 3, dx->data(), kRows, kClassCount, 0.3f, 0.1f);
  }
  EXPECT_EQ(one, four);
}

TEST_P(ClassWeightsTest, RejectsWeightsThatFitNoClass) {
  const auto sources = Sources({3, 4}, kLogits, kClasses);
  const std::string field = "softmaxloss_conf.class_weight";
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("class_weight: [1, 2, 3]"), sources), field,
                           "one number for each of the 4 classes, has 3");
  for (const char* weight : {"-1", "nan", "inf"})
    EXPECT_CONFIG_ERROR_SAYS(Build(Conf(StrCat("class_weight: [1, 1, 1, ", weight, "]")), sources),
                             field + "#3", "must be >= 0 and finite");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("class_weight: [3e38, 1, 1, 3e38]"), sources), field,
                           "has a sum that is no finite float");
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("class_weight: [0, 0, 0, 0]"), sources), "softmaxloss_conf",
                           "class_weight must have a number > 0");
}

}  // namespace
}  // namespace singa::class_weights_test
