// The golden numbers are those of tool/golden/eltwise.py.
#include <limits>

#include "support/layer_test.h"

namespace singa {
namespace eltwise_test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr char kSum[] = "type: kEltwise", kMax[] = "type: kEltwise eltwise_conf { operation: MAX }",
               kProduct[] = "type: kEltwise eltwise_conf { operation: PROD }";

// The sources and the output's gradient of tool/golden/eltwise.py.
const Values kA = {-0.5f, 1.25f, 0.25f, -0.75f, 1, 0.5f}, kB = {1, 0, 0.5f, -1, -1.25f, -0.75f},
             kC = {-0.25f, 0.75f, -0.75f, 0.5f, -1, 1.5f}, kDy = {0.5f, -1, 2, 1, -0.25f, 3};

// Returns sources of one row.
std::vector<Input> Rows(const std::vector<Values>& rows) {
  std::vector<Input> inputs;
  for (const Values& row : rows)
    inputs.push_back({.shape = {1, static_cast<int64_t>(row.size())}, .data = row});
  return inputs;
}

class EltwiseTest : public LayerTest {
 protected:
  // Expects PyTorch's feature, and PyTorch's gradients of the three sources.
  void ExpectGolden(const std::string& conf, const std::vector<Values>& want) {
    const RunResult run = Gradients(conf, Rows({kA, kB, kC}), {kDy});
    ExpectNear(run.outputs[0], want[0], 1e-6);
    for (size_t i = 0; i < 3; ++i) ExpectNear(run.input_grads[i], want[i + 1], 1e-6);
  }
};
SINGA_TEST_ON_ALL_DEVICES(EltwiseTest);

TEST_P(EltwiseTest, WeightedSumEqualsPyTorch) {
  ExpectGolden("type: kEltwise eltwise_conf { coeff: 2 coeff: -0.5 coeff: 0.25 }",
               {{-1.5625f, 2.6875f, 0.0625f, -0.875f, 2.375f, 1.75f},
                {1, -2, 4, 2, -0.5f, 6},
                {-0.25f, 0.5f, -1, -0.5f, 0.125f, -1.5f},
                {0.125f, -0.25f, 0.5f, 0.25f, -0.0625f, 0.75f}});
}

TEST_P(EltwiseTest, FactorsThatAreMissingAreOne) {
  const RunResult some =
      Gradients("type: kEltwise eltwise_conf { coeff: 2 }", Rows({kA, kB, kC}), {kDy});
  const RunResult all = Gradients("type: kEltwise eltwise_conf { coeff: 2 coeff: 1 coeff: 1 }",
                                  Rows({kA, kB, kC}), {kDy});
  EXPECT_EQ(some.outputs, all.outputs);
  EXPECT_EQ(some.input_grads, all.input_grads);
  EXPECT_EQ(some.input_grads[1], kDy);
}

TEST_P(EltwiseTest, ProductEqualsPyTorch) {
  ExpectGolden(kProduct, {{0.125f, 0, -0.09375f, 0.375f, 1.25f, -0.5625f},
                          {-0.125f, 0, -0.75f, -0.5f, -0.3125f, -3.375f},
                          {0.0625f, -0.9375f, -0.375f, -0.375f, 0.25f, 2.25f},
                          {-0.25f, 0, 0.25f, 0.75f, 0.3125f, -1.125f}});
}

TEST_P(EltwiseTest, AProductWithANumberForEachChannelEqualsPyTorch) {
  for (const Shape& numbers : {Shape({2, 3, 1, 1}), Shape({2, 3})}) {
    const RunResult run = Gradients(kProduct,
                                    {{.shape = {2, 3, 1, 2}, .data = Pattern(12, 4)},
                                     {.shape = numbers, .data = Pattern(6, 7)}},
                                    {Pattern(12, 5)});
    ExpectNear(run.outputs[0],
               {0.25f, -0.25f, -1.5625f, -0.3125f, 0.1875f, -0.25f, 0, -0.75f, -0.75f, 0.25f, 0, 0},
               1e-6);
    ExpectNear(run.input_grads[0],
               {0.25f, -0.375f, -0.9375f, 0.625f, -0.25f, 0.0625f, 0.9375f, 0, 1.25f, -0.25f, 0, 0},
               1e-6);
    ExpectNear(run.input_grads[1], {0.625f, 0.8125f, -1, 0, -1, 1.5f}, 1e-6);
  }
}

TEST_P(EltwiseTest, MaximumEqualsPyTorch) {
  ExpectGolden(kMax, {{1, 1.25f, 0.5f, 0.5f, 1, 1.5f},
                      {0, -1, 0, 0, -0.25f, 0},
                      {0.5f, 0, 2, 0, 0, 0},
                      {0, 0, 0, 1, 0, 3}});
}

TEST_P(EltwiseTest, IsASumWithoutFactorsByDefault) {
  const RunResult run = Gradients(kSum, Rows({{1, 2, 3}, {10, -2, 0.5f}}), {{1, 2, 3}});
  ExpectNear(run.outputs[0], {11, 0, 3.5f}, 0);
  for (const Values& dx : run.input_grads) ExpectNear(dx, {1, 2, 3}, 0);
}

TEST_P(EltwiseTest, TheFirstOfEqualLargestNumbersAloneGetsTheGradient) {
  const RunResult run = Gradients(kMax, Rows({{1, 5, 2}, {4, 5, 2}, {4, 5, 3}}), {{1, 2, 3}});
  ExpectNear(run.outputs[0], {4, 5, 3}, 0);
  ExpectNear(run.input_grads[0], {0, 2, 0}, 0);
  ExpectNear(run.input_grads[1], {1, 0, 0}, 0);
  ExpectNear(run.input_grads[2], {0, 0, 3}, 0);
}

TEST_P(EltwiseTest, KeepsNan) {
  for (const char* conf : {kSum, kProduct, kMax})
    ExpectNear(Feature(conf, Rows({{kNan, 1, 1}, {2, kNan, 2}, {3, 3, kNan}})), {kNan, kNan, kNan},
               0);
}

TEST_P(EltwiseTest, GradientMatchesDifferences) {
  for (const char* conf : {kSum, kProduct}) {
    ExpectGradient(conf, {Shape({1, 1}), Shape({1, 1})});
    ExpectGradient(conf, {Shape({3, 7}), Shape({3, 7}), Shape({3, 7})});
    ExpectGradient(conf, {Shape({2, 3, 5, 1}), Shape({2, 3, 5, 1})});
  }
  ExpectGradient("type: kEltwise eltwise_conf { coeff: -2 coeff: 1 coeff: 0.5 coeff: 0 }",
                 {Shape({3, 8}), Shape({3, 8}), Shape({3, 8}), Shape({3, 8})});
}

TEST_P(EltwiseTest, GradientOfAProductWithANumberForEachChannelMatchesDifferences) {
  ExpectGradient(kProduct, {Shape({2, 3, 5, 4}), Shape({2, 3, 1, 1})});
  ExpectGradient(kProduct, {Shape({3, 8, 2, 3}), Shape({3, 8})});
  ExpectGradient(kProduct, {Shape({2, 1, 3, 3}), Shape({2, 1, 1, 1})});
}

// The sources are further apart than the differences' step.
TEST_P(EltwiseTest, GradientOfTheMaximumMatchesDifferences) {
  for (const int64_t units : {1, 7, 8}) {
    std::vector<Input> inputs(3, {.shape = {3, units}});
    for (int64_t i = 0; i < 3 * units; ++i)
      for (int64_t source = 0; source < 3; ++source)
        inputs[source].data.push_back(static_cast<float>((i + 2 * source) % 3));
    ExpectGradient(kMax, inputs);
  }
}

TEST_P(EltwiseTest, ASourceWithoutAGradientGetsNone) {
  for (const char* conf : {kSum, kProduct, kMax})
    for (const int without : {0, 1, 2}) {
      const std::vector<Values> dy = {Pattern(10, 4)};
      std::vector<Input> inputs(3, {.shape = {2, 5}});
      const RunResult all = Gradients(conf, inputs, dy);
      inputs[without].gradient = false;
      const RunResult some = Gradients(conf, inputs, dy);
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(some.input_grads[i], i == without ? Values() : all.input_grads[i]) << conf;
    }
}

TEST_P(EltwiseTest, AFactorOfAProductWithoutAGradientGetsNone) {
  const std::vector<Values> dy = {Pattern(24, 4)};
  std::vector<Input> inputs = {{.shape = {2, 3, 2, 2}}, {.shape = {2, 3, 1, 1}}};
  const RunResult all = Gradients(kProduct, inputs, dy);
  for (const int without : {0, 1}) {
    inputs[without].gradient = false;
    const RunResult some = Gradients(kProduct, inputs, dy);
    inputs[without].gradient = true;
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(some.input_grads[i], i == without ? Values() : all.input_grads[i]);
  }
}

TEST_P(EltwiseTest, RejectsFewerThanTwoSources) {
  EXPECT_CONFIG_ERROR_SAYS(Build(kSum, {2, 3}), "srclayers", "needs at least 2 sources, has 1");
}

TEST_P(EltwiseTest, RejectsMoreSourcesForAMaximumThanItCanTellApart) {
  EXPECT_CONFIG_ERROR_SAYS(Build(kMax, std::vector<Shape>(257, Shape({1, 1}))), "srclayers#256",
                           "needs at most 256 sources for MAX, has 257");
  EXPECT_EQ(Build(kMax, std::vector<Shape>(256, Shape({1, 1})))->output_shape(), Shape({1, 1}));
}

TEST_P(EltwiseTest, RejectsSourcesOfUnlikeShapes) {
  EXPECT_CONFIG_ERROR_SAYS(
      Build(StrCat(kSum, " srclayers: 'a' srclayers: 'b' srclayers: 'c'"),
            {Shape({2, 3}), Shape({2, 3}), Shape({2, 4})}),
      "srclayers#2", "sources must have one shape; \"c\" has the shape (2, 4), \"a\" has (2, 3)");
  EXPECT_CONFIG_ERROR(Build(kSum, {Shape({2, 3}), Shape({2, 3, 1, 1})}), "srclayers#1");
}

TEST_P(EltwiseTest, RejectsANumberForEachChannelButInAProductOfTwo) {
  const Shape images = {2, 3, 4, 5}, numbers = {2, 3, 1, 1};
  for (const char* conf : {kSum, kMax})
    EXPECT_CONFIG_ERROR_SAYS(Build(conf, {images, numbers}), "srclayers#1",
                             "; only PROD takes one number for each channel");
  EXPECT_CONFIG_ERROR_SAYS(Build(kProduct, {numbers, images}), "srclayers#1",
                           "; name the images first");
  EXPECT_CONFIG_ERROR_SAYS(Build(kProduct, {images, images, numbers}), "srclayers#2",
                           "; a PROD with one number for each channel takes two sources");
  for (const Shape& other : {Shape({2, 4, 1, 1}), Shape({2, 3, 4, 1}), Shape({2, 3, 1}),
                             Shape({2, 1, 4, 5}), Shape({2, 12})})
    EXPECT_CONFIG_ERROR_SAYS(Build(kProduct, {images, other}), "srclayers#1",
                             "sources must have one shape");
  EXPECT_CONFIG_ERROR(Build(kProduct, {Shape({2, 3, 4}), Shape({2, 3})}), "srclayers#1");
}

TEST_P(EltwiseTest, RejectsFactorsThatItCannotUse) {
  for (const char* operation : {"PROD", "MAX"})
    EXPECT_CONFIG_ERROR_SAYS(
        Build(
            StrCat("type: kEltwise eltwise_conf { operation: ", operation, " coeff: 1 coeff: 1 }"),
            {Shape({2, 3}), Shape({2, 3})}),
        "eltwise_conf.coeff",
        StrCat("must not be set with operation ", operation, ": it is for SUM"));
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kEltwise eltwise_conf { coeff: 1 coeff: 2 coeff: 3 }",
                                 {Shape({2, 3}), Shape({2, 3})}),
                           "eltwise_conf.coeff#2",
                           "must be at most one number for each source, 2; has 3");
}

}  // namespace eltwise_test
}  // namespace singa
