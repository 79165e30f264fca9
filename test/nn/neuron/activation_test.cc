// The golden numbers are those of tool/golden/activations.py.
#include <limits>

#include "support/golden_activation.h"
#include "support/layer_test.h"

namespace singa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class ReluTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(ReluTest);

TEST_P(ReluTest, CutsBelowZero) {
  ExpectNear(Feature("type: kReLU", {2, 2}, {{3, -4, 0, 2}}), {3, 0, 0, 2}, 0);
}

TEST_P(ReluTest, NegativeSlopeEqualsPyTorch) {
  const RunResult run =
      Gradients("type: kReLU relu_conf { negative_slope: 0.25 }", {2, 3}, kGoldenX, kGoldenDy);
  ExpectNear(run.outputs[0], {-0.75f, -0.3125f, -0.125f, 0, 0.75f, 2.5f}, 0);
  ExpectNear(run.input_grads[0], {0.125f, -0.25f, 0.5f, 0.25f, -0.25f, 3}, 0);
}

TEST_P(ReluTest, KeepsNanAndCutsMinusInfinity) {
  ExpectNear(Feature("type: kReLU", {1, 3}, {-kInfinity, kInfinity, kNan}), {0, kInfinity, kNan},
             0);
}

TEST_P(ReluTest, GradientMatchesDifferences) {
  ExpectGradient("type: kReLU", {1, 1}, {.kink = 0});
  ExpectGradient("type: kReLU", {4, 9}, {.kink = 0});
  ExpectGradient("type: kReLU relu_conf { negative_slope: 0.25 }", {1, 3, 5, 7}, {.kink = 0});
}

TEST_P(ReluTest, RejectsNegativeSlopeBelowZero) {
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kReLU relu_conf { negative_slope: -1 }", {1, 2}),
                           "relu_conf.negative_slope", "must be >= 0, is -1");
  EXPECT_CONFIG_ERROR(Build("type: kReLU relu_conf { negative_slope: nan }", {1, 2}),
                      "relu_conf.negative_slope");
}

TEST_P(ReluTest, RejectsTwoSources) {
  EXPECT_CONFIG_ERROR(Build("type: kReLU", {{1, 2}, {1, 2}}), "srclayers#1");
}

class SigmoidTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(SigmoidTest);

TEST_P(SigmoidTest, EqualsPyTorch) {
  for (const char* conf :
       {"type: kSigmoid", "type: kActivation activation_conf { type: SIGMOID }"}) {
    const RunResult run = Gradients(conf, {2, 3}, kGoldenX, kGoldenDy);
    ExpectNear(run.outputs[0],
               {0.047425874f, 0.22270013f, 0.37754068f, 0.5f, 0.67917871f, 0.92414182f}, 1e-6);
    ExpectNear(run.input_grads[0],
               {0.022588329f, -0.17310479f, 0.47000742f, 0.25f, -0.054473747f, 0.21031114f}, 1e-6);
  }
}

TEST_P(SigmoidTest, SaturatesWithoutNan) {
  ExpectNear(Feature("type: kSigmoid", {1, 5}, {-kInfinity, -200, 200, kInfinity, kNan}),
             {0, 0, 1, 1, kNan}, 0);
}

TEST_P(SigmoidTest, GradientMatchesDifferences) { ExpectGradient("type: kSigmoid", {3, 37}); }

class STanhTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(STanhTest);

TEST_P(STanhTest, EqualsPyTorch) {
  for (const char* conf : {"type: kSTanh", "type: kActivation activation_conf { type: STANH }"}) {
    const RunResult run = Gradients(conf, {2, 3}, kGoldenX, kGoldenDy);
    ExpectNear(run.outputs[0], {-1.6541795f, -1.1706963f, -0.55168527f, 0, 0.79294902f, 1.5976954f},
               1e-6);
    ExpectNear(run.input_grads[0],
               {0.040410023f, -0.61145556f, 2.0513747f, 1.1439365f, -0.22491156f, 0.45655045f},
               1e-6);
  }
}

TEST_P(STanhTest, GradientMatchesDifferences) { ExpectGradient("type: kSTanh", {3, 37}); }

class ActivationTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(ActivationTest);

TEST_P(ActivationTest, IsReluByDefault) {
  ExpectNear(Feature("type: kActivation", {2, 3}, kGoldenX), {0, 0, 0, 0, 0.75f, 2.5f}, 0);
}

TEST_P(ActivationTest, TanhEqualsPyTorch) {
  for (const char* conf : {"type: kActivation activation_conf { type: TANH }",
                           "type: kCudnnActivation activation_conf { type: TANH }"}) {
    const RunResult run = Gradients(conf, {2, 3}, kGoldenX, kGoldenDy);
    ExpectNear(run.outputs[0],
               {-0.99505478f, -0.84828365f, -0.46211717f, 0, 0.63514894f, 0.98661429f}, 1e-6);
    ExpectNear(run.input_grads[0],
               {0.0049329908f, -0.28041485f, 1.5728954f, 1, -0.14914645f, 0.079776749f}, 1e-6);
  }
}

TEST_P(ActivationTest, GeluEqualsPyTorch) {
  const RunResult run =
      Gradients("type: kActivation activation_conf { type: GELU }", {2, 3}, kGoldenX, kGoldenDy);
  ExpectNear(run.outputs[0],
             {-0.0040496941f, -0.13206222f, -0.15426877f, 0, 0.58002949f, 2.4844758f}, 1e-6);
  ExpectNear(run.input_grads[0],
             {-0.0059728236f, 0.12266158f, 0.26500975f, 0.5f, -0.24980643f, 3.1128333f}, 1e-6);
}

TEST_P(ActivationTest, SiluEqualsPyTorch) {
  const RunResult run =
      Gradients("type: kActivation activation_conf { type: SILU }", {2, 3}, kGoldenX, kGoldenDy);
  ExpectNear(run.outputs[0], {-0.14227762f, -0.27837517f, -0.18877033f, 0, 0.50938402f, 2.3103545f},
             1e-6);
  ExpectNear(run.input_grads[0],
             {-0.044052053f, -0.0063191551f, 0.52007763f, 0.5f, -0.21064999f, 3.2982033f}, 1e-6);
}

// The last number of this source is above the bound.
TEST_P(ActivationTest, Relu6EqualsPyTorch) {
  const RunResult run = Gradients("type: kActivation activation_conf { type: RELU6 }", {2, 3},
                                  {-4, -0.5f, 0, 3, 5.5f, 7}, kGoldenDy);
  ExpectNear(run.outputs[0], {0, 0, 0, 3, 5.5f, 6}, 0);
  ExpectNear(run.input_grads[0], {0, 0, 0, 1, -0.25f, 0}, 0);
}

TEST_P(ActivationTest, HardSigmoidEqualsPyTorch) {
  const RunResult run = Gradients("type: kActivation activation_conf { type: HARD_SIGMOID }",
                                  {2, 3}, kGoldenX, kGoldenDy);
  ExpectNear(run.outputs[0], {0, 0.29166666f, 0.41666666f, 0.5f, 0.625f, 0.91666669f}, 1e-6);
  ExpectNear(run.input_grads[0], {0, -0.16666667f, 0.33333334f, 0.16666667f, -0.041666668f, 0.5f},
             1e-6);
}

TEST_P(ActivationTest, HardSwishEqualsPyTorch) {
  const RunResult run = Gradients("type: kActivation activation_conf { type: HARD_SWISH }", {2, 3},
                                  kGoldenX, kGoldenDy);
  ExpectNear(run.outputs[0], {0, -0.36458334f, -0.20833333f, 0, 0.46875f, 2.2916667f}, 1e-6);
  ExpectNear(run.input_grads[0], {0, -0.083333343f, 0.66666663f, 0.5f, -0.1875f, 3.9999998f}, 1e-6);
}

TEST_P(ActivationTest, GradientMatchesDifferences) {
  for (const char* function : {"SIGMOID", "TANH", "STANH", "GELU", "SILU"})
    ExpectGradient(StrCat("type: kActivation activation_conf { type: ", function, " }"),
                   {2, 3, 2, 5});
}

// The sources come near to no kink, and lie on both sides of each.
TEST_P(ActivationTest, GradientOfFunctionsWithKinksMatchesDifferences) {
  Values x;
  for (int i = 0; i < 30; ++i) x.push_back(0.5f * static_cast<float>(i % 29) - 6.75f);
  for (const char* function : {"RELU6", "HARD_SIGMOID", "HARD_SWISH"})
    ExpectGradient(StrCat("type: kActivation activation_conf { type: ", function, " }"),
                   {Input{.shape = {2, 3, 5}, .data = x}});
}

}  // namespace
}  // namespace singa
