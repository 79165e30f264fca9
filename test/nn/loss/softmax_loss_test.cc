// The golden numbers are those of tool/golden/softmax_loss.py.
#include <cfloat>
#include <cmath>

#include "support/layer_test.h"

namespace singa {
namespace {

class SoftmaxLossTest : public LayerTest {
 protected:
  static std::vector<Input> Sources(const Shape& shape, const Values& x,
                                    const std::vector<int>& labels) {
    return {{.shape = shape, .data = x},
            {.shape = {shape[0], 1}, .labels = labels, .gradient = false}};
  }
  std::unique_ptr<BuiltLayer> Forward(const std::string& conf, const std::vector<Input>& sources) {
    std::unique_ptr<BuiltLayer> layer = Build(conf, sources);
    layer->BeginStep(0);
    layer->Forward(kTrain);
    return layer;
  }
};
SINGA_TEST_ON_ALL_DEVICES(SoftmaxLossTest);

const Values kLogits = {1, 2, 0.5f, -1, 0, 0.25f, 3, 1.5f, -2, 4, 0, 1};
const std::vector<int> kClasses = {1, 3, 0};
const char* const kScaled = "type: kSoftmaxLoss softmaxloss_conf { scale: 0.5 topk: 2 }";

TEST_P(SoftmaxLossTest, EqualsPyTorch) {
  const RunResult run = Gradients(kScaled, Sources({3, 4}, kLogits, kClasses), {});
  ExpectNear(run.outputs[0],
             {0.22420783f, 0.60946006f, 0.13598892f, 0.030343229f, 0.037242208f, 0.047819942f,
              0.74802977f, 0.16690801f, 0.0023153326f, 0.93407184f, 0.017108124f, 0.046504699f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {0.03736797f, -0.065089993f, 0.022664819f, 0.0050572054f, 0.0062070349f, 0.0079699904f,
              0.12467164f, -0.13884868f, -0.16628078f, 0.15567866f, 0.0028513535f, 0.0077507826f},
             1e-6);
}

TEST_P(SoftmaxLossTest, ScaleMultipliesTheLossButNotTheAccuracy) {
  const auto layer = Forward(kScaled, Sources({3, 4}, kLogits, kClasses));
  EXPECT_NEAR(layer->metric("loss"), 1.3922828, 1e-6);
  EXPECT_NEAR(layer->metric("accuracy"), 2. / 3, 1e-9);
}

TEST_P(SoftmaxLossTest, SmoothedLabelsEqualPyTorchs) {
  const char* const conf = "type: kSoftmaxLoss softmaxloss_conf { label_smoothing: 0.2 }";
  const RunResult run = Gradients(conf, Sources({3, 4}, kLogits, kClasses), {});
  ExpectNear(
      run.input_grads[0],
      {0.058069289f, -0.080179967f, 0.028662978f, -0.0065522552f, -0.0042525968f, -0.00072668487f,
       0.23267664f, -0.22769736f, -0.28256157f, 0.2946907f, -0.01096396f, -0.0011650993f},
      1e-6);
  const auto layer = Forward(conf, Sources({3, 4}, kLogits, kClasses));
  EXPECT_NEAR(layer->metric("loss"), 2.7137322, 1e-6);
  EXPECT_NEAR(layer->metric("accuracy"), 1. / 3, 1e-9);
}

TEST_P(SoftmaxLossTest, ATestsLabelsAreNotSmoothed) {
  const auto layer = Build("type: kSoftmaxLoss softmaxloss_conf { label_smoothing: 0.2 }",
                           Sources({3, 4}, kLogits, kClasses));
  layer->BeginStep(0);
  layer->Forward(kTest);
  EXPECT_NEAR(layer->metric("loss"), 2 * 1.3922828, 1e-6);
}

TEST_P(SoftmaxLossTest, AccuracyIsOfTheFirstClassByDefault) {
  const auto layer = Forward("type: kCudnnSoftmaxLoss", Sources({3, 4}, kLogits, kClasses));
  EXPECT_NEAR(layer->metric("accuracy"), 1. / 3, 1e-9);
}

TEST_P(SoftmaxLossTest, OfEqualScoresTheLargerIndexWins) {
  const Values equal(4, 1.f);
  for (int label = 0; label < 4; ++label) {
    const auto layer =
        Forward("type: kSoftmaxLoss softmaxloss_conf { topk: 2 }", Sources({1, 4}, equal, {label}));
    EXPECT_EQ(layer->metric("accuracy"), label >= 2 ? 1 : 0) << "label " << label;
  }
}

TEST_P(SoftmaxLossTest, ClipsTheProbabilityAtTheSmallestNormalFloat) {
  const auto layer = Forward("type: kSoftmaxLoss", Sources({1, 2}, {0, 200}, {0}));
  EXPECT_NEAR(layer->metric("loss"), -std::log(double{FLT_MIN}), 1e-6);
}

TEST_P(SoftmaxLossTest, NanReachesTheLossAndIsNeverAccurate) {
  const auto layer = Forward("type: kSoftmaxLoss", Sources({1, 2}, {NAN, 0}, {0}));
  EXPECT_TRUE(std::isnan(layer->metric("loss")));
  EXPECT_EQ(layer->metric("accuracy"), 0);
}

TEST_P(SoftmaxLossTest, ClassesOfAnImageGoByItsLogicalOrder) {
  for (int label = 0; label < 6; ++label) {
    Values x(6, 0.f);
    x[label] = 30;
    const auto layer = Forward("type: kSoftmaxLoss", Sources({1, 3, 1, 2}, x, {label}));
    EXPECT_NEAR(layer->metric("loss"), 0, 1e-6) << "label " << label;
    EXPECT_EQ(layer->metric("accuracy"), 1) << "label " << label;
  }
}

TEST_P(SoftmaxLossTest, GradientIsDividedByTheBatchOfTheGroup) {
  std::vector<Input> sources = Sources({3, 4}, kLogits, kClasses);
  const RunResult alone = Gradients("type: kSoftmaxLoss", sources, {});
  sources[0].span = {.first = 3, .rows = 3, .batch = 12};
  RunResult part = Gradients("type: kSoftmaxLoss", sources, {});
  for (float& dx : part.input_grads[0]) dx *= 4;
  ExpectNear(part.input_grads[0], alone.input_grads[0], 1e-6);
}

TEST_P(SoftmaxLossTest, FoldedStepsSumTheirGradientsAndAverageTheirLoss) {
  std::vector<Input> sources = Sources({3, 4}, kLogits, kClasses);  // 3 steps of a batch of 1
  for (Input& source : sources) source.span = {.rows = 1, .batch = 1, .steps = 3};
  const RunResult folded = Gradients("type: kSoftmaxLoss", sources, {});
  double loss = 0;
  for (int t = 0; t < 3; ++t) {
    const Values x(kLogits.begin() + 4 * t, kLogits.begin() + 4 * t + 4);
    const std::vector<Input> step = Sources({1, 4}, x, {kClasses[t]});
    loss += Forward("type: kSoftmaxLoss", step)->metric("loss") / 3;
    const Values dx(folded.input_grads[0].begin() + 4 * t,
                    folded.input_grads[0].begin() + 4 * t + 4);
    ExpectNear(dx, Gradients("type: kSoftmaxLoss", step, {}).input_grads[0], 1e-6);
  }
  EXPECT_NEAR(Forward("type: kSoftmaxLoss", sources)->metric("loss"), loss, 1e-6);
}

TEST_P(SoftmaxLossTest, GradientMatchesDifferences) {
  ExpectGradient(kScaled, Sources({3, 37}, {}, {0, 36, 17}));
  ExpectGradient(kScaled, Sources({1, 3, 2, 5}, {}, {29}));
  ExpectGradient("type: kSoftmaxLoss softmaxloss_conf { label_smoothing: 0.3 }",
                 Sources({3, 37}, {}, {0, 36, 17}));
}

TEST_P(SoftmaxLossTest, RowsOfTheIgnoredLabelDoNotCount) {
  const std::string ignore = "softmaxloss_conf { ignore_label: -1 label_smoothing: 0.1 topk: 2 }";
  const Values x(kLogits.begin() + 4, kLogits.begin() + 8);
  const std::string all = "type: kSoftmaxLoss softmaxloss_conf { label_smoothing: 0.1 topk: 2 }";
  const RunResult one = Gradients(all, Sources({1, 4}, x, {2}), {});
  const auto sources = Sources({3, 4}, kLogits, {-1, 2, -1});
  const RunResult run = Gradients("type: kSoftmaxLoss " + ignore, sources, {});
  Values expected(12, 0.f);  // divided by the batch, 3
  for (int j = 0; j < 4; ++j) expected[4 + j] = one.input_grads[0][j] / 3;
  ExpectNear(run.input_grads[0], expected, 1e-7);
  const auto layer = Forward("type: kSoftmaxLoss " + ignore, sources);
  const auto alone = Forward(all, Sources({1, 4}, x, {2}));
  for (const char* metric : {"loss", "accuracy"})
    EXPECT_NEAR(layer->metric(metric), alone->metric(metric), 1e-7) << metric;
}

TEST_P(SoftmaxLossTest, AnIgnoredLabelMayBeAClass) {
  const auto layer = Forward("type: kSoftmaxLoss softmaxloss_conf { ignore_label: 3 }",
                             Sources({3, 4}, kLogits, kClasses));  // of the second row
  const auto all = Forward("type: kSoftmaxLoss", Sources({3, 4}, kLogits, kClasses));
  EXPECT_NE(layer->metric("loss"), all->metric("loss"));
  EXPECT_EQ(layer->metric("accuracy"), all->metric("accuracy") * 3 / 2);
}

TEST_P(SoftmaxLossTest, LabelsGetNoGradient) {
  std::vector<Input> sources = Sources({3, 4}, kLogits, kClasses);
  sources[1].gradient = true;
  ExpectNear(Gradients("type: kSoftmaxLoss", sources, {}).input_grads[1], {0, 0, 0}, 0);
}

TEST_P(SoftmaxLossTest, DeployNeedsNoLabels) {
  const auto layer = Build("type: kSoftmaxLoss", Sources({1, 2}, {0, 0}, {-1}));
  layer->BeginStep(0);
  layer->Forward(kDeploy);
  ExpectNear(layer->Output(), {0.5f, 0.5f}, 0);
}

TEST_P(SoftmaxLossTest, LabelOutsideTheClassesIsDamagedData) {
  for (int label : {-1, 4}) try {
      Forward("name: \"loss\" type: kSoftmaxLoss", Sources({3, 4}, kLogits, {0, label, 0}));
      ADD_FAILURE() << "no error for " << label;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitBadData);
      EXPECT_EQ(std::string(error.what()),
                StrCat("the label is ", label, ", layer \"loss\" allows 0 to 3"));
    }
}

TEST_P(SoftmaxLossTest, RejectsTopkOutsideTheClasses) {
  for (int k : {0, 5})
    EXPECT_CONFIG_ERROR_SAYS(Build(StrCat("type: kSoftmaxLoss softmaxloss_conf { topk: ", k, " }"),
                                   Sources({3, 4}, kLogits, kClasses)),
                             "softmaxloss_conf.topk", "must be in [1, 4]");
}

TEST_P(SoftmaxLossTest, RejectsScaleThatIsNotFinite) {
  EXPECT_CONFIG_ERROR(Build("type: kSoftmaxLoss softmaxloss_conf { scale: inf }",
                            Sources({3, 4}, kLogits, kClasses)),
                      "softmaxloss_conf.scale");
}

TEST_P(SoftmaxLossTest, RejectsSmoothingThatLeavesNoLabel) {
  for (const char* share : {"1", "-0.1", "nan"})
    EXPECT_CONFIG_ERROR_SAYS(
        Build(StrCat("type: kSoftmaxLoss softmaxloss_conf { label_smoothing: ", share, " }"),
              Sources({3, 4}, kLogits, kClasses)),
        "softmaxloss_conf.label_smoothing", "must be in [0, 1)");
}

TEST_P(SoftmaxLossTest, RejectsSourcesWithoutMatchingLabels) {
  EXPECT_CONFIG_ERROR(Build("type: kSoftmaxLoss", {3, 4}), "srclayers");
  const std::string conf = "type: kSoftmaxLoss srclayers: \"fc\" srclayers: \"data\"";
  EXPECT_CONFIG_ERROR_SAYS(Build(conf, Sources({3, 4}, kLogits, {})), "srclayers#1",
                           "source \"data\" has no labels");
  EXPECT_CONFIG_ERROR_SAYS(Build(conf, Sources({3, 4}, kLogits, {1, 2})), "srclayers#1",
                           "source \"data\" has 2 labels for 3 rows");
}

}  // namespace
}  // namespace singa
