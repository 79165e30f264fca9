// Compares the hidden side of an RBM with its formulas. test/train/rbm_test.cc tests whole steps.
#include <cmath>

#include "nn/rbm_side.h"

namespace singa::rbm {
namespace {

class RbmTest : public RbmSideTest {};
SINGA_TEST_ON_ALL_DEVICES(RbmTest);

TEST_P(RbmTest, TheHiddenSideGivesItsBiasGradient) {
  const Values x = Means("x", kRows * kVisible), end = Means("end", kRows * kVisible);
  const auto layer = BuildSide("Hid", "", {{.shape = {kRows, kVisible}, .data = x}});
  layer->BeginStep(0);
  layer->Forward(kFirst);
  const Values positive = layer->Output();
  layer->SetInput(0, end);
  layer->Forward(kNegative);
  const Values negative = layer->Output();
  ComputeGradient(layer.get());
  const Values sums = Product(kOnes, positive), end_sums = Product(kOnes, negative);
  ExpectGradient(layer->ParamGradient(1), end_sums, sums);
  ComputeGradient(layer.get());  // adds
  Values twice = layer->ParamGradient(1);
  for (float& value : twice) value /= 2;
  ExpectGradient(twice, end_sums, sums);
  const Values w = layer->ParamData("w"), b = layer->ParamData("b");
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t j = 0; j < kHidden; ++j) {
      double sum = b[j];
      for (int64_t i = 0; i < kVisible; ++i) sum += w[j * kVisible + i] * x[r * kVisible + i];
      EXPECT_NEAR(positive[r * kHidden + j], 1 / (1 + std::exp(-sum)), 1e-6);
    }
}

}  // namespace
}  // namespace singa::rbm
