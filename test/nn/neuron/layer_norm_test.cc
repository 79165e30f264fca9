// The golden numbers are those of tool/golden/normalisation.py.
#include <cmath>

#include "support/layer_test.h"
#include "support/nn/divided_net.h"
#include "support/random_values.h"

namespace singa {
namespace layer_norm {

class LayerNormTest : public LayerTest {
 protected:
  // Expects that each number of threads gives the same bits. `tolerance`: of the plain kernels.
  void ExpectOneResult(const Shape& shape, double tolerance);
};
SINGA_TEST_ON_ALL_DEVICES(LayerNormTest);

constexpr char kNorm[] = "type: kLayerNorm";

RunOptions Params(int64_t units) {
  return {.params = {{"0", Pattern(units, 5)}, {"1", Pattern(units, 3)}}};
}

struct Golden {
  const char* conf;
  Shape shape;
  Values y, dx, dscale, dshift;
};

const std::vector<Golden> kGolden = {
    {kNorm,
     {3, 5},
     {-0.025662154f, 1.1986756f, 1, -1.6324505f, -1.1986756f, -0.74385417f, -0.42930812f,
      -0.14959836f, -0.93032736f, 1.0041072f, -0.74385417f, -0.42930812f, -0.14959836f,
      -0.93032736f, 1.0041072f},
     {-0.018974751f, -0.51228327f, -0.88543069f, 0.32254812f, 1.0941405f, 0.53734612f, 0.4079656f,
      -0.73729831f, 0.70095527f, -0.90896857f, 0.61640477f, 0.12428546f, -0.62568521f, 0.44982955f,
      -0.56483448f},
     {-0.37915182f, 0.67930812f, 0.38319945f, -1.0907193f, -4.007586f},
     {-2.25f, -0.75f, 0.75f, 2.25f, 1}},
    {"type: kLayerNorm layer_norm_conf { epsilon: 0.1 }",
     {2, 3, 2, 1},
     {-0.053619713f, 1.2346623f, 0.96061349f, -1.6039262f, -1.2477913f, 0.43435585f, -0.053619683f,
      1.2346623f, 0.96061349f, -1.6039263f, -1.2477912f, 0.43435585f},
     {0.097456038f, -0.42597377f, -0.77956152f, 0.44231054f, 1.1792487f, -0.51348001f,
      -0.033629507f, -0.13125935f, -0.97573364f, 0.62175483f, 0.91798991f, -0.3991223f},
     {0.66957045f, 0.32822078f, 0.06564416f, -2.7176683f, -2.2450302f, 0.32822078f},
     {-0.75f, 0.25f, 1.25f, 2.25f, -2.25f, -1.25f}}};

TEST_P(LayerNormTest, EqualsPyTorch) {
  for (const Golden& golden : kGolden) {
    const int64_t n = golden.shape.size();
    const RunResult run = Gradients(golden.conf, golden.shape, Pattern(n, 7), Pattern(n, 2),
                                    Params(golden.shape.size(1)));
    ExpectNear(run.outputs[0], golden.y, 2e-6);
    ExpectNear(run.input_grads[0], golden.dx, 2e-6);
    ExpectNear(run.param_grads[0], golden.dscale, 2e-6);
    ExpectNear(run.param_grads[1], golden.dshift, 2e-6);
  }
}

TEST_P(LayerNormTest, FeatureHasTheShapeOfItsSource) {
  for (const Shape& shape : {Shape({3, 7}), Shape({2, 3, 5}), Shape({2, 3, 4, 5})}) {
    const auto layer = Build(kNorm, shape);
    EXPECT_EQ(layer->output_shape(), shape);
    EXPECT_EQ(layer->param("0").shape(), Shape({shape.size(1)}));
    EXPECT_EQ(layer->param("1").shape(), Shape({shape.size(1)}));
  }
}

TEST_P(LayerNormTest, ParamsStartAsOneAndZero) {
  const auto layer = Build(kNorm, {2, 3});
  EXPECT_EQ(layer->param("0").conf().init().value(), 1);
  EXPECT_EQ(layer->param("1").conf().init().value(), 0);
}

TEST_P(LayerNormTest, GradientMatchesDifferences) {
  ExpectGradient(kNorm, {7, 5});
  ExpectGradient(kNorm, {1, 37});
  ExpectGradient(kNorm, {70, 9});  // several blocks of rows
  ExpectGradient(kNorm, {3, 2, 3, 5});
  ExpectGradient(kNorm, {2, 5, 3});
}

TEST_P(LayerNormTest, ARowOfEqualNumbersBecomesTheShift) {
  ExpectNear(Feature(kNorm, {2, 3}, {5, 5, 5, -1, -1, -1}, Params(3)),
             {-0.5f, 0.25f, 1, -0.5f, 0.25f, 1}, 1e-6);
  ExpectGradient(kNorm, {4, 1});  // one unit a row
}

TEST_P(LayerNormTest, AFarMeanDoesNotHideTheVariance) {
  Values x = RandomValues("x", 1000);
  for (float& value : x) value += 3000;
  const Values y =
      Feature(kNorm, {1, 1000}, x, {.params = {{"0", Values(1000, 1)}, {"1", Values(1000)}}});
  double sum = 0, squares = 0;
  for (float value : y) sum += value, squares += double{value} * value;
  EXPECT_NEAR(sum / 1000, 0, 1e-3);
  EXPECT_NEAR(squares / 1000, 1, 1e-3);
}

TEST_P(LayerNormTest, NaNStaysInItsRow) {
  Values x = RandomValues("x", 3 * 40);
  x[40 + 7] = std::nanf("");
  const Values y = Feature(kNorm, {3, 40}, x, Params(40));
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / 40 == 1) << i;
}

void LayerNormTest::ExpectOneResult(const Shape& shape, double tolerance) {
  const Values x = RandomValues("x", shape.size()), dy = RandomValues("dy", shape.size());
  const auto run = [&](bool plain, int threads) {
    ctx_.plain = plain;
    ctx_.threads = threads;
    return Gradients(kNorm, shape, x, dy, Params(shape.size(1)));
  };
  const RunResult want = run(true, 1), one = run(false, 1);
  ExpectNear(one.outputs[0], want.outputs[0], 2e-6);
  ExpectNear(one.input_grads[0], want.input_grads[0], 5e-6);
  for (int i : {0, 1}) ExpectNear(one.param_grads[i], want.param_grads[i], tolerance);
  for (int threads : {2, 3}) {
    const RunResult more = run(false, threads);
    EXPECT_EQ(more.outputs, one.outputs) << threads;
    EXPECT_EQ(more.input_grads, one.input_grads) << threads;
    EXPECT_EQ(more.param_grads, one.param_grads) << threads;
  }
}

// The sizes are odd, and large enough for several threads. The sums of params are over n rows.
TEST_P(LayerNormTest, ThreadsChangeNoBitAndPlainAndVectorAgree) {
  for (const Shape& shape :
       {Shape({3001, 33}), Shape({130, 1027}), Shape({5, 40001}), Shape({9, 5, 33, 70})})
    ExpectOneResult(shape, 2e-6 * std::sqrt(static_cast<double>(shape[0])));
}

TEST_P(LayerNormTest, ARowsBitsDoNotDependOnOtherRows) {
  const Values x = RandomValues("x", 11 * 77);
  const Values all = Feature(kNorm, {11, 77}, x, Params(77));
  for (int64_t i : {0, 4, 10})
    EXPECT_EQ(
        Feature(kNorm, {1, 77}, Values(x.begin() + i * 77, x.begin() + (i + 1) * 77), Params(77)),
        Values(all.begin() + i * 77, all.begin() + (i + 1) * 77));
}

TEST_P(LayerNormTest, RejectsMistakes) {
  for (const char* epsilon : {"0", "-1e-5", "nan"})
    EXPECT_CONFIG_ERROR_SAYS(
        Build(StrCat("type: kLayerNorm layer_norm_conf { epsilon: ", epsilon, " }"), {2, 3}),
        "layer_norm_conf.epsilon", "must be > 0, is ");
  EXPECT_CONFIG_ERROR_SAYS(Build(kNorm, Shape({4})), "srclayers", "must have rows of units");
  EXPECT_CONFIG_ERROR(Build(kNorm, std::vector<Shape>{{2, 3}, {2, 3}}), "srclayers#1");
}

// The layers around are divided by units. kPositionEmbedding needs all units, too.
TEST(LayerNormNet, IsDividedByRowsBetweenLayersByUnits) {
  for (const bool images : {false, true}) {
    const std::string text =
        StrCat(R"(
    partition_dim: 1
    layer { name: "data" type: kDummy partition_dim: 0
            dummy_conf { input: true shape: 7 shape: 3 )",
               images ? "shape: 4 shape: 5" : "", R"( } }
    layer { name: "first" srclayers: "data" param { name: "w1" } param { name: "b1" } )",
               images ? "type: kConvolution convolution_conf { num_filters: 6 }"
                      : "type: kInnerProduct innerproduct_conf { num_output: 6 }",
               R"( }
    layer { name: "position" type: kPositionEmbedding srclayers: "first"
            position_embedding_conf { max_steps: 2 } }
    layer { name: "norm" type: kLayerNorm srclayers: "position" }
    layer { name: "fc" type: kInnerProduct srclayers: "norm" innerproduct_conf { num_output: 4 } }
    layer { name: "loss" user_type: "TestLoss" srclayers: "fc" partition_dim: 0 })");
    for (int workers : {2, 3}) ExpectTheNetOfOne(text, workers);
  }
}

}  // namespace layer_norm
}  // namespace singa
