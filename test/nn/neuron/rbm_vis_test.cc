// Compares the visible side of an RBM with its formulas. test/train/rbm_test.cc tests whole steps.
#include <cmath>

#include "nn/rbm_side.h"

namespace singa::rbm {
namespace {

class RbmVisTest : public RbmSideTest {
 protected:
  // Builds the visible side on this input and hidden units.
  std::unique_ptr<BuiltLayer> BuildVis(const std::string& settings, const Values& x) {
    return BuildSide("Vis", settings,
                     {{.shape = {kRows, kVisible}, .data = x}, {.shape = {kRows, kHidden}}});
  }
};
SINGA_TEST_ON_ALL_DEVICES(RbmVisTest);

TEST_P(RbmVisTest, IsReconstructedAndGivesTheWeightsGradient) {
  const Values x = Means("x", kRows * kVisible);
  const Values before = Means("before", kRows * kHidden), after = Means("after", kRows * kHidden);
  const auto layer =
      BuildSide("Vis", "", {{.shape = {kRows, kVisible}, .data = x}, {.shape = {kRows, kHidden}}});
  for (int step : {0, 1}) {
    layer->BeginStep(step);
    layer->SetInput(1, before);
    layer->Forward(kFirst);
    EXPECT_EQ(layer->Output(), x);
    layer->Forward(kFirstNegative);
    const Values vis = layer->Output();
    ExpectNear(vis, Visible(layer.get(), before, 0), 1e-6);
    double error = 0;
    for (size_t i = 0; i < x.size(); ++i) error += std::pow(double{x[i]} - vis[i], 2);
    EXPECT_NEAR(layer->metric("squared_error"), error / kRows, 1e-6);
    layer->SetInput(1, after);
    layer->Forward(kNegative);
    const Values last = layer->Output();
    ExpectNear(last, Visible(layer.get(), after, 1), 1e-6);
    ComputeGradient(layer.get());
    ExpectGradient(layer->ParamGradient(0), Product(after, last), Product(before, x));
    ExpectGradient(layer->ParamGradient(1), Product(kOnes, last), Product(kOnes, x));
  }
}

TEST_P(RbmVisTest, APersistentChainGoesOnWhereItWas) {
  const Values x = Means("x", kRows * kVisible);
  const Values before = Means("before", kRows * kHidden), after = Means("after", kRows * kHidden);
  const auto layer = BuildSide("Vis", "persistent: true",
                               {{.shape = {kRows, kVisible}, .data = x}, {.shape = {kRows, 2}}});
  Values chain(kRows * kHidden, 0);
  for (int step : {0, 1}) {
    layer->BeginStep(step);
    layer->SetInput(1, before);
    layer->Forward(kFirst);
    layer->Forward(kFirstNegative);
    ExpectNear(layer->Output(), Visible(layer.get(), chain, 1), 1e-6);
    layer->SetInput(1, after);
    layer->Forward(kNegative);
    ComputeGradient(layer.get());
    chain = after;
  }
}

// Gaussian hidden units are their mean plus a number of N(0, 1).
TEST_P(RbmVisTest, IsReconstructedFromGaussianHiddenUnits) {
  const Values x = Means("x", kRows * kVisible), hid = RandomValues("hid", kRows * kHidden);
  const auto layer = BuildVis("gaussian: true", x);
  layer->BeginStep(0);
  layer->SetInput(1, hid);
  layer->Forward(kFirst);
  layer->Forward(kFirstNegative);
  const Philox random = layer->ctx().Random("side");
  const Values w = layer->ParamData("w"), b = layer->ParamData("b"), vis = layer->Output();
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t i = 0; i < kVisible; ++i) {
      double sum = b[i];
      for (int64_t j = 0; j < kHidden; ++j) {
        const int64_t unit = r * kHidden + j;
        sum += w[j * kVisible + i] * (hid[unit] + random.Gaussian(static_cast<uint64_t>(unit)));
      }
      EXPECT_NEAR(vis[r * kVisible + i], 1 / (1 + std::exp(-sum)), 1e-5);
    }
}

TEST_P(RbmVisTest, OfATrainedNetHandsItsInputOn) {
  const Values x = Means("x", kRows * kVisible);
  const auto layer = BuildVis("", x);
  layer->BeginStep(0);
  layer->Forward(kTest);
  EXPECT_EQ(layer->Output(), x);
}

// Pictures are stored with their channels last.
TEST_P(RbmVisTest, TakesTheNumbersOfAPictureInTheirOrder) {
  const Values x = Means("x", kRows * kVisible);
  const auto layer =
      BuildSide("Vis", "", {{.shape = {kRows, 2, 1, 2}, .data = x}, {.shape = {kRows, kHidden}}});
  layer->BeginStep(0);
  layer->SetInput(1, Means("hid", kRows * kHidden));
  layer->Forward(kFirst);
  EXPECT_EQ(layer->output_shape(), Shape({kRows, kVisible}));
  EXPECT_EQ(layer->Output(), x);
}

TEST_P(RbmVisTest, OnlyAPersistentChainIsKeptInCheckpoints) {
  const Values x = Means("x", kRows * kVisible);
  for (const bool persistent : {false, true}) {
    const auto layer = BuildVis(persistent ? "persistent: true" : "", x);
    int kept = 0;
    for (const Buffer& buffer : layer->declare().declared().buffers)
      kept += buffer.keep == Keep::kForever;
    EXPECT_EQ(kept, persistent);
  }
}

TEST_P(RbmVisTest, NeedsItsInputAndItsHiddenSide) {
  EXPECT_CONFIG_ERROR(BuildSide("Vis", "", {{.shape = {kRows, kVisible}}}), "srclayers");
  EXPECT_TRUE(BuildVis("", {})->wiring().feedback_slots == 1u << 1);
}

}  // namespace
}  // namespace singa::rbm
