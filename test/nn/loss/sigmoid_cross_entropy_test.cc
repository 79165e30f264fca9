// The golden numbers are those of tool/golden/sigmoid_cross_entropy.py.
#include <cmath>

#include "support/layer_test.h"

namespace singa {
namespace {

class SigmoidCrossEntropyTest : public LayerTest {
 protected:
  static std::string Conf(const std::string& weights) {
    return StrCat("name: 'loss' type: kSigmoidCrossEntropyLoss sigmoid_cross_entropy_conf { ",
                  weights, " }");
  }
  static std::vector<Input> Sources(const Shape& shape, const Values& x, const Values& t) {
    return {{.shape = shape, .data = x}, {.shape = shape, .data = t, .gradient = false}};
  }
  static Values Shares(int64_t n) {  // targets in [0, 1]
    Values t = Pattern(n, 5);
    for (float& target : t) target = (target + 1.25f) / 2.5f;
    return t;
  }
  std::unique_ptr<BuiltLayer> Forward(const std::string& conf, const std::vector<Input>& sources) {
    std::unique_ptr<BuiltLayer> layer = Build(conf, sources);
    layer->BeginStep(0);
    layer->Forward(kTrain);
    return layer;
  }
};
SINGA_TEST_ON_ALL_DEVICES(SigmoidCrossEntropyTest);

const Values kScores = {1, -2, 0.5f, -90, 0, 0.25f, 3, 90, -2, 4, -0.125f, 1};
const Values kTargets = {1, 0, 0.25f, 0, 1, 0, 0.75f, 1, 0, 1, 1, 0.5f};

TEST_P(SigmoidCrossEntropyTest, EqualsPyTorch) {
  const std::vector<Input> sources = Sources({3, 4}, kScores, kTargets);
  const auto layer = Forward(Conf(""), sources);
  ExpectNear(layer->Output(),
             {0.7310586f, 0.11920292f, 0.62245935f, 0, 0.5f, 0.56217653f, 0.95257413f, 1,
              0.11920292f, 0.98201376f, 0.46879062f, 0.7310586f},
             1e-6);
  EXPECT_NEAR(layer->metric("loss"), 0.44357327, 1e-6);
  EXPECT_NEAR(layer->metric("accuracy"), 7. / 12, 1e-9);
  EXPECT_NEAR(layer->metric("f1"), 8. / 13, 1e-9);
  ExpectNear(Gradients(Conf(""), sources, {}).input_grads[0],
             {-0.022411784f, 0.0099335769f, 0.031038279f, 0, -0.041666668f, 0.046848044f,
              0.016881177f, 0, 0.0099335769f, -0.0014988532f, -0.044267446f, 0.019254884f},
             1e-6);
}

TEST_P(SigmoidCrossEntropyTest, OneWeightOfPositivesEqualsPyTorchs) {
  const std::vector<Input> sources = Sources({3, 4}, kScores, kTargets);
  EXPECT_NEAR(Forward(Conf("pos_weight: 3"), sources)->metric("loss"), 0.79253131, 1e-6);
  ExpectNear(Gradients(Conf("pos_weight: 3"), sources, {}).input_grads[0],
             {-0.067235351f, 0.0099335769f, 0.015307416f, 0, -0.125f, 0.046848044f, 0.01095295f, 0,
              0.0099335769f, -0.0044965544f, -0.13280235f, -0.0031569004f},
             1e-6);
}

TEST_P(SigmoidCrossEntropyTest, WeightsOfUnitsEqualPyTorchs) {
  const std::vector<Input> sources = Sources({3, 4}, kScores, kTargets);
  const std::string conf = Conf("pos_weight: [0.5, 2, 1, 4]");
  EXPECT_NEAR(Forward(conf, sources)->metric("loss"), 0.44230983, 1e-6);
  ExpectNear(Gradients(conf, sources, {}).input_grads[0],
             {-0.011205892f, 0.0099335769f, 0.031038279f, 0, -0.020833334f, 0.046848044f,
              0.016881177f, 0, 0.0099335769f, -0.0029977064f, -0.044267446f, -0.014362792f},
             1e-6);
}

TEST_P(SigmoidCrossEntropyTest, GradientMatchesDifferences) {
  ExpectGradient(Conf(""), Sources({1, 1}, {}, Shares(1)));
  ExpectGradient(Conf("pos_weight: 2"), Sources({3, 37}, {}, Shares(111)));
  std::string weights;
  for (int j = 0; j < 37; ++j) weights += StrCat("pos_weight: ", 0.25 + 0.125 * j, " ");
  ExpectGradient(Conf(weights), Sources({3, 37}, {}, Shares(111)));
}

TEST_P(SigmoidCrossEntropyTest, UnitsOfAnImageGoByItsLogicalOrder) {
  std::string weights;
  for (int j = 0; j < 30; ++j) weights += StrCat("pos_weight: ", 1 + j, " ");
  const Values x = Pattern(60, 3), t = Shares(60);
  const RunResult flat = Gradients(Conf(weights), Sources({2, 30}, x, t), {});
  std::vector<Input> sources = Sources({2, 3, 2, 5}, x, t);
  for (int both = 0; both < 2; ++both) {
    const RunResult image = Gradients(Conf(weights), sources, {});
    ExpectNear(image.outputs[0], flat.outputs[0], 1e-6);
    ExpectNear(image.input_grads[0], flat.input_grads[0], 1e-6);
    sources[1].shape = {2, 30};
  }
}

TEST_P(SigmoidCrossEntropyTest, LongRowsAddUpInBlocks) {
  const int64_t n = 3, d = 1500;
  const Values x = Pattern(n * d, 7), t = Shares(n * d);
  double loss = 0;
  for (int64_t i = 0; i < n * d; ++i)
    loss += (1 - double{t[i]}) * x[i] + std::log1p(std::exp(-double{x[i]}));
  EXPECT_NEAR(Forward(Conf(""), Sources({n, d}, x, t))->metric("loss"),
              loss / static_cast<double>(n * d), 1e-6);
}

TEST_P(SigmoidCrossEntropyTest, GradientIsDividedByTheBatchOfTheGroup) {
  std::vector<Input> sources = Sources({3, 4}, kScores, kTargets);
  const RunResult alone = Gradients(Conf(""), sources, {});
  sources[0].span = {.first = 3, .rows = 3, .batch = 12};
  RunResult part = Gradients(Conf(""), sources, {});
  for (float& dx : part.input_grads[0]) dx *= 4;
  ExpectNear(part.input_grads[0], alone.input_grads[0], 1e-6);
}

TEST_P(SigmoidCrossEntropyTest, TargetsGetNoGradient) {
  std::vector<Input> sources = Sources({3, 4}, kScores, kTargets);
  sources[1].gradient = true;
  ExpectNear(Gradients(Conf(""), sources, {}).input_grads[1], Values(12, 0.f), 0);
}

TEST_P(SigmoidCrossEntropyTest, NanReachesTheLoss) {
  const auto layer = Forward(Conf(""), Sources({1, 2}, {NAN, 0}, {0, 1}));
  EXPECT_TRUE(std::isnan(layer->metric("loss")));
}

TEST_P(SigmoidCrossEntropyTest, TargetOutsideZeroToOneIsDamagedData) {
  for (float target : {-0.5f, 1.5f, NAN}) try {
      Forward(Conf(""), Sources({2, 2}, {0, 0, 0, 0}, {0, 1, 0.5f, target}));
      ADD_FAILURE() << "no error for " << target;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitBadData);
      EXPECT_EQ(std::string(error.what()),
                StrCat("a target is ", target, ", layer \"loss\" allows 0 to 1"));
    }
}

TEST_P(SigmoidCrossEntropyTest, DeployNeedsNoTargets) {
  const auto layer = Build(Conf(""), Sources({1, 2}, {0, 0}, {-1, 7}));
  layer->BeginStep(0);
  layer->Forward(kDeploy);
  ExpectNear(layer->Output(), {0.5f, 0.5f}, 0);
}

TEST_P(SigmoidCrossEntropyTest, RejectsWeightsThatFitNoUnit) {
  const std::vector<Input> sources = Sources({3, 4}, kScores, kTargets);
  const std::string field = "sigmoid_cross_entropy_conf.pos_weight";
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("pos_weight: [1, 2, 3]"), sources), field,
                           "one for each of the 4 units; has 3");
  for (const char* weight : {"0", "-1", "nan", "inf"})
    EXPECT_CONFIG_ERROR_SAYS(Build(Conf(StrCat("pos_weight: ", weight)), sources), field,
                             "must be > 0 and finite");
  EXPECT_CONFIG_ERROR(Build(Conf("pos_weight: [1, 1, 1, 0]"), sources), field + "#3");
}

TEST_P(SigmoidCrossEntropyTest, RejectsRowsOfOtherSizes) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf(""), {Shape({2, 3}), Shape({2, 4})}), "srclayers#1",
                           "(2, 3) and (2, 4)");
  EXPECT_CONFIG_ERROR(Build(Conf(""), {Shape({2, 3}), Shape({3, 3})}), "srclayers#1");
  EXPECT_CONFIG_ERROR(Build(Conf(""), {2, 3}), "srclayers");
}

}  // namespace
}  // namespace singa
