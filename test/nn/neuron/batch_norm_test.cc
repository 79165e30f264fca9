// The golden numbers are those of tool/golden/normalisation.py.
#include <cmath>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

class BatchNormTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(BatchNormTest);

constexpr char kNorm[] = "type: kBM";

RunOptions Params(int64_t c, Phase phase = kTrain) {
  return {
      .phase = phase,
      .params = {
          {"0", Pattern(c, 5)}, {"1", Pattern(c, 3)}, {"2", Values(c, 0.5f)}, {"3", Values(c, 2)}}};
}

struct GoldenNorm {
  Shape shape;
  Values y, dx, dgamma, dbeta, mean, variance, test_y;
};

const std::vector<GoldenNorm> kGolden = {
    {{2, 3, 1, 2},
     {-0.15660065f, -1.1181188f, 1.2562144f, -0.085404813f, -0.0062143803f, 1.3354049f, 0.11811882f,
      -0.84339935f, 0.58540481f, -0.75621444f, 0.66459525f, 2.0062146f},
     {0.12828974f, 0.071269885f, -1.6103302e-05, 5.3677677e-06, 1.6103302e-05, -5.3677677e-06,
      -0.071269885f, -0.12828974f, -5.3677677e-06, 1.6103302e-05, 5.3677677e-06, -1.6103302e-05},
     {0.82415843f, -1.1180161f, -1.1180161f},
     {-0.5f, 3.5f, -3.5f},
     {0.46249998f, 0.39999998f, 0.47499999f},
     {1.9104166f, 1.8416666f, 1.8416666f},
     {-0.15181865f, -0.78487569f, 0.16710167f, -0.38555396f, 0.70985574f, 1.2625114f, 0.029054791f,
      -0.60400224f, -0.10922615f, -0.6618818f, 0.98618352f, 1.5388392f}},
    {{3, 2},
     {0.11236426f, 1.2348915f, -0.5f, -0.58336973f, -1.1123643f, 0.09847822f},
     {0.37421447f, 0.30613026f, -0.74844521f, 0.51023114f, 0.3742308f, -0.81636131f},
     {-0.91854644f, -0.95963794f},
     {-1.25f, 0.25f},
     {0.47499999f, 0.46666667f},
     {1.8562499f, 1.9020833f},
     {-0.14218774f, 0.67598271f, -0.41742796f, -0.41163269f, -0.69266814f, -0.003776921f}}};

TEST_P(BatchNormTest, EqualsPyTorch) {
  for (const GoldenNorm& golden : kGolden) {
    const int64_t n = golden.shape.size(), c = golden.shape[1];
    const RunResult run = Gradients(kNorm, golden.shape, Pattern(n, 7), Pattern(n, 2), Params(c));
    ExpectNear(run.outputs[0], golden.y, 1e-5);
    ExpectNear(run.input_grads[0], golden.dx, 1e-5);
    ExpectNear(run.param_grads[0], golden.dgamma, 1e-5);
    ExpectNear(run.param_grads[1], golden.dbeta, 1e-5);
  }
}

TEST_P(BatchNormTest, TrainingMovesTheRunningStatisticsAndTestsUseThem) {
  for (const GoldenNorm& golden : kGolden) {
    const int64_t n = golden.shape.size(), c = golden.shape[1];
    const auto layer = Build(kNorm, {{.shape = golden.shape, .data = Pattern(n, 7)}});
    for (const auto& [name, values] : Params(c).params) layer->SetParam(name, values);
    layer->BeginStep(0);
    layer->Forward(kTrain);
    ExpectNear(layer->ParamData("2"), golden.mean, 1e-6);
    ExpectNear(layer->ParamData("3"), golden.variance, 1e-6);
    layer->Forward(kTest);
    ExpectNear(layer->Output(), golden.test_y, 1e-5);
    ExpectNear(layer->ParamData("2"), golden.mean, 1e-6);
  }
}

TEST_P(BatchNormTest, EqualsPyTorchWithMomentumAndEpsilonOfItsOwn) {
  const std::string conf = "type: kBM bm_conf { momentum: 0.25 epsilon: 0.5 }";
  const RunResult run = Gradients(conf, {3, 2}, Pattern(6, 7), Pattern(6, 2), Params(2));
  ExpectNear(run.outputs[0],
             {-0.09910813f, 0.99779087f, -0.5f, -0.38274616f, -0.90089184f, 0.13495524f}, 1e-6);
  ExpectNear(run.input_grads[0],
             {0.13044894f, 0.10963089f, -0.48997891f, 0.49130875f, 0.35953003f, -0.60093963f},
             1e-6);
  ExpectNear(run.param_grads[0], {-0.60133779f, -0.72861677f}, 1e-6);
  const auto layer = Build(conf, {{.shape = {3, 2}, .data = Pattern(6, 7)}});
  for (const auto& [name, values] : Params(2).params) layer->SetParam(name, values);
  layer->BeginStep(0);
  layer->Forward(kTrain);
  ExpectNear(layer->ParamData("2"), {0.3125f, 0.25f}, 1e-6);
  ExpectNear(layer->ParamData("3"), {0.921875f, 1.265625f}, 1e-6);
  layer->Forward(kTest);
  ExpectNear(layer->Output(),
             {-0.15930745f, 0.8144325f, -0.47379288f, -0.3144325f, -0.78827834f, 0.10889187f},
             1e-6);
}

TEST_P(BatchNormTest, GradientMatchesDifferences) {
  ExpectGradient("type: kBM bm_conf { epsilon: 0.3 }", {5, 3, 2, 1});
  ExpectGradient(kNorm, {3, 2, 2, 3});
  ExpectGradient(kNorm, {5, 3, 1, 1});
  ExpectGradient(kNorm, {7, 4});
  ExpectGradient(kNorm, {300, 2, 1, 1});  // two blocks of rows
}

TEST_P(BatchNormTest, PlainAndVendorAgree) {
  for (const Shape& shape : {Shape({9, 32, 8, 8}), Shape({3, 5, 33, 7}), Shape({600, 3})}) {
    const Values x = RandomValues("x", shape.size()), dy = RandomValues("dy", shape.size());
    ctx_.plain = true;
    const RunResult want = Gradients(kNorm, shape, x, dy, Params(shape[1]));
    ctx_.plain = false;
    for (int threads : {1, 2}) {
      ctx_.threads = threads;
      const RunResult got = Gradients(kNorm, shape, x, dy, Params(shape[1]));
      ExpectNear(got.outputs[0], want.outputs[0], 1e-5);
      ExpectNear(got.input_grads[0], want.input_grads[0], 1e-5);
      ExpectNear(got.param_grads[0], want.param_grads[0], 1e-5);
      ExpectNear(got.param_grads[1], want.param_grads[1], 1e-5);
    }
  }
}

TEST_P(BatchNormTest, AFarMeanDoesNotHideTheVariance) {
  Values x = RandomValues("x", 1000);
  for (float& value : x) value += 3000;
  const Values y = Feature(kNorm, {1000, 1}, x, {.params = {{"0", {1}}, {"1", {0}}}});
  double sum = 0, squares = 0;
  for (float value : y) sum += value, squares += double{value} * value;
  EXPECT_NEAR(sum / 1000, 0, 1e-3);
  EXPECT_NEAR(squares / 1000, 1, 1e-3);
}

TEST_P(BatchNormTest, StatisticsThatAreNotFiniteLeaveTheRunningOnesAlone) {
  const auto layer = Build(kNorm, {{.shape = {2, 1}, .data = {1, INFINITY}}});
  layer->BeginStep(0);
  layer->Forward(kTrain);
  EXPECT_TRUE(std::isfinite(layer->ParamData("2")[0]));
  EXPECT_TRUE(std::isfinite(layer->ParamData("3")[0]));
}

// Twin is a group whose other worker has the same rows as this one.
struct Twin final : GroupSum {
  void Sum(std::span<double> values) override {
    for (double& value : values) value *= 2;
  }
};

TEST_P(BatchNormTest, WorkersOfAGroupAddUpTheirSums) {
  const Values x = RandomValues("x", 9 * 3), dy = RandomValues("dy", 9 * 3);
  const auto twice = [](const Values& rows) {
    Values all = rows;
    all.insert(all.end(), rows.begin(), rows.end());
    return all;
  };
  const auto run = [&](const Values& rows, const Values& gradient) {
    const Shape shape = {static_cast<int64_t>(rows.size()) / 3, 3};
    auto layer = Build(kNorm, {{.shape = shape, .data = rows}});
    for (const auto& [name, values] : Params(3).params) layer->SetParam(name, values);
    layer->BeginStep(0);
    layer->Forward(kTrain);
    layer->Backward({gradient});
    return layer;
  };
  const auto whole = run(twice(x), twice(dy));
  Twin group;
  ctx_.group = &group;
  const auto half = run(x, dy);
  ExpectNear(twice(half->Output()), whole->Output(), 1e-6);
  ExpectNear(twice(half->InputGradient()), whole->InputGradient(), 1e-6);
  ExpectNear(half->ParamData("2"), whole->ParamData("2"), 1e-6);
  ExpectNear(half->ParamData("3"), whole->ParamData("3"), 1e-6);
  for (int i : {0, 1}) {  // the layer's own share
    Values sum = half->ParamGradient(i);
    for (float& value : sum) value *= 2;
    ExpectNear(sum, whole->ParamGradient(i), 1e-5);
  }
}

TEST_P(BatchNormTest, UpdatersTouchGammaAndBetaAlone) {
  const auto layer = Build(kNorm, {2, 3, 4, 4});
  EXPECT_TRUE(layer->param("0").trains());
  EXPECT_TRUE(layer->param("1").trains());
  EXPECT_FALSE(layer->param("2").trains());
  EXPECT_FALSE(layer->param("3").trains());
  EXPECT_EQ(layer->param("3").shape(), Shape({1, 3, 1, 1}));
  EXPECT_EQ(layer->param("0").conf().init().value(), 1);  // the default
  EXPECT_EQ(layer->param("1").conf().init().value(), 0);
}

TEST_P(BatchNormTest, RejectsImpossibleSettings) {
  const auto build = [this](const char* settings) {
    return Build(StrCat("type: kBM bm_conf { ", settings, " }"), {3, 2});
  };
  EXPECT_CONFIG_ERROR_SAYS(build("momentum: 1"), "bm_conf.momentum", "must be in [0, 1), is 1");
  EXPECT_CONFIG_ERROR(build("momentum: -0.1"), "bm_conf.momentum");
  EXPECT_CONFIG_ERROR(build("momentum: nan"), "bm_conf.momentum");
  EXPECT_CONFIG_ERROR_SAYS(build("epsilon: 0"), "bm_conf.epsilon", "must be > 0");
  EXPECT_CONFIG_ERROR(build("epsilon: inf"), "bm_conf.epsilon");
}

TEST_P(BatchNormTest, RejectsThreeParams) {
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kBM param {} param {} param {}", {2, 3, 4, 4}), "param",
                           "or none, has 3");
  EXPECT_CONFIG_ERROR(Build(kNorm, Shape({2})), "srclayers");
}

}  // namespace
}  // namespace singa
