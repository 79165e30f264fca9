// Tests what Deep Gradient Compression adds to sparse codecs: momentum, masking, warm-up.
#include <gtest/gtest.h>

#include "support/comm/sent_floats.h"

namespace singa::momentum_correction {
namespace {

AllReduceProto Sparsity(float sparsity) {
  AllReduceProto settings;
  settings.set_sparsity(sparsity);
  return settings;
}

// m is 0.5: u = 0.5 u + g, and the largest float of the rest is sent.
TEST(MomentumCorrection, SendsWhatMomentumMakesOfGradients) {
  AllReduceProto settings = Sparsity(0.5f);
  settings.set_factor_masking(false);
  const auto codec = CodecOf(AllReduceProto::kTopK, settings, 0.5f);
  ASSERT_EQ(codec->states(), 2);
  std::vector<float> state;
  EXPECT_EQ(SentFloats(*codec, {4, 1}, &state), (std::vector<float>{4, 0}));
  EXPECT_EQ(state, (std::vector<float>{0, 1, 4, 1})) << "the rest, then u";
  EXPECT_EQ(SentFloats(*codec, {0, 2}, &state), (std::vector<float>{0, 3.5f})) << "1, and u of 2.5";
  EXPECT_EQ(state, (std::vector<float>{2, 0, 2, 2.5f}));
}

TEST(MomentumCorrection, FloatsThatAreSentBeginAgain) {
  const auto codec = CodecOf(AllReduceProto::kTopK, Sparsity(0.5f), 0.5f);
  std::vector<float> state;
  EXPECT_EQ(SentFloats(*codec, {4, 1}, &state), (std::vector<float>{4, 0}));
  EXPECT_EQ(state, (std::vector<float>{0, 1, 0, 1}));
}

// The numbers sent in all steps and the rest add up to the sum of u over the steps.
TEST(MomentumCorrection, LosesNothing) {
  AllReduceProto settings = Sparsity(0.1f);
  settings.set_factor_masking(false);
  const auto codec = CodecOf(AllReduceProto::kTopK, settings, 0.9f);
  std::vector<float> state, sum(100), u(100), whole(100);
  for (int step = 0; step < 20; ++step) {
    const std::vector<float> gradient = Gaussian(100, step);
    const std::vector<float> sent = SentFloats(*codec, gradient, &state);
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] += sent[i];
      u[i] = 0.9f * u[i] + gradient[i];
      whole[i] += u[i];
    }
  }
  for (size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i] + state[i], whole[i], 1e-4);
}

TEST(TopKCodec, WarmsUpFromAQuarter) {
  AllReduceProto settings = Sparsity(1.f / 1024);
  settings.set_warmup_steps(400);
  const auto codec = CodecOf(AllReduceProto::kTopK, settings);
  const std::vector<float> floats = Gaussian(100'000, 5);
  const auto count = [&](int64_t step) {
    std::vector<float> rest, sent(floats.size());
    EXPECT_TRUE(codec->Decode(Encoded(*codec, floats, &rest, step), sent));
    return Magnitudes(sent).size();
  };
  EXPECT_EQ(count(0), 25'000u);
  EXPECT_EQ(count(99), 25'000u);
  EXPECT_EQ(count(100), 6'250u);
  EXPECT_EQ(count(200), 1'563u);
  EXPECT_EQ(count(300), 391u);
  EXPECT_EQ(count(400), 98u);
}

}  // namespace
}  // namespace singa::momentum_correction
