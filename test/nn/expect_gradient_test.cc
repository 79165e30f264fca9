// Tests that ExpectGradient finds the mistakes that a layer can make.
#include <gtest/gtest-spi.h>

#include <algorithm>
#include <functional>

#include "support/layer_test.h"

namespace singa {
namespace {

enum Fault {
  kNone,
  kInputGradient,
  kParamGradient,
  kBeta,
  kAdds,
  kSkips,
  kTraits,
  kFeatureInPlace,
  kGradientInPlace,
  kNoise
};

// ScaleLayer is y = w x with one weight, and has one fault. It works in place, but for the faults
// that make it write too early.
template <Fault fault>
class ScaleLayer final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
    w_ = declare.Param(0, {1});
  }
  Traits traits() const override { return {.grad_reads_in = fault != kTraits, .in_place_with = 0}; }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    const float noise = fault == kNoise ? 1e-3f * static_cast<float>(++calls_) : 0;
    if (fault == kFeatureInPlace) std::fill_n(out[0]->data.data(), out[0]->data.size(), 0.f);
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      out[0]->data.data()[i] = (w_->data.data()[0] + noise) * in[0]->data.data()[i];
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    const float *x = in[0]->data.data(), *dy = out[0]->grad.data();
    if (fault == kGradientInPlace && !in[0]->grad.empty())
      std::fill_n(in[0]->grad.data(), in[0]->grad.size(), 0.f);
    float dw = 0;
    for (int64_t i = 0; i < in[0]->data.size(); ++i) dw += x[i] * dy[i];
    if (!w_->grad.empty()) {
      float& sum = w_->grad.data()[0];
      sum = (w_->beta() == 0 || fault == kBeta ? 0 : sum) + (fault == kParamGradient ? -dw : dw);
    }
    if (in[0]->grad.empty()) return;
    float* dx = in[0]->grad.data();
    for (int64_t i = fault == kSkips; i < in[0]->data.size(); ++i)
      dx[i] = (fault == kAdds ? dx[i] : 0) +
              (fault == kInputGradient ? 1.01f : 1) * w_->data.data()[0] * dy[i];
  }

 private:
  Param* w_ = nullptr;
  int calls_ = 0;
};

SINGA_REGISTER_LAYER(RightScale, ScaleLayer<kNone>);
SINGA_REGISTER_LAYER(WrongInputGradient, ScaleLayer<kInputGradient>);
SINGA_REGISTER_LAYER(WrongParamGradient, ScaleLayer<kParamGradient>);
SINGA_REGISTER_LAYER(IgnoresBeta, ScaleLayer<kBeta>);
SINGA_REGISTER_LAYER(AddsToInputGradient, ScaleLayer<kAdds>);
SINGA_REGISTER_LAYER(SkipsAnElement, ScaleLayer<kSkips>);
SINGA_REGISTER_LAYER(ReadsWhatTraitsDeny, ScaleLayer<kTraits>);
SINGA_REGISTER_LAYER(WritesFeatureTooEarly, ScaleLayer<kFeatureInPlace>);
SINGA_REGISTER_LAYER(WritesGradientTooEarly, ScaleLayer<kGradientInPlace>);
SINGA_REGISTER_LAYER(FeatureChanges, ScaleLayer<kNoise>);

class ExpectGradientTest : public LayerTest {
 protected:
  bool Passes(const std::string& user_type) {
    ::testing::TestPartResultArray failures;
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    ExpectGradient(StrCat("user_type: \"", user_type, "\""), {3, 4});
    return failures.size() == 0;
  }
};
SINGA_TEST_ON_ALL_DEVICES(ExpectGradientTest);

TEST_P(ExpectGradientTest, PassesTheRightLayer) { EXPECT_TRUE(Passes("RightScale")); }

TEST_P(ExpectGradientTest, FindsEachFault) {
  for (const char* faulty : {"WrongInputGradient", "WrongParamGradient", "IgnoresBeta",
                             "AddsToInputGradient", "SkipsAnElement", "ReadsWhatTraitsDeny",
                             "WritesFeatureTooEarly", "WritesGradientTooEarly", "FeatureChanges"})
    EXPECT_FALSE(Passes(faulty)) << faulty;
}

TEST_P(ExpectGradientTest, FourDimensionsAreStoredChannelsLast) {
  const auto layer = Build("user_type: \"RightScale\"", {1, 2, 1, 3});
  layer->SetParam("0", {1});
  layer->SetInput(0, {1, 2, 3, 4, 5, 6});
  layer->BeginStep(0);
  layer->Forward(kTrain);
  const float* stored = layer->in(0).data.data();
  EXPECT_EQ(Values(stored, stored + 6), Values({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(layer->Output(), Values({1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace singa
