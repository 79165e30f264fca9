#include "singa/train/initializer.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "singa/base/error.h"

namespace singa {
namespace {

const Philox kStream{.seed = 1, .purpose = HashName("w1"), .step = 0};

ParamGenProto ParseInit(const std::string& text) {
  ParamGenProto conf;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &conf)) << text;
  return conf;
}

std::vector<float> Fill(const std::string& text, const Shape& shape, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  std::vector<float> data(shape.size());
  MakeInitializer(ParseInit(text))->Fill(ctx, kStream, shape, data.data());
  return data;
}

std::string FillErrorOf(const std::string& text, const Shape& shape = {2, 2}) {
  try {
    Fill(text, shape);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

// Expects that the numbers of `text` are those of `plain` times `factor`, apart from rounding.
void ExpectScaled(const std::string& text, const std::string& plain, const Shape& shape,
                  double factor) {
  const std::vector<float> made = Fill(text, shape), base = Fill(plain, shape);
  for (size_t i = 0; i < made.size(); ++i)
    ASSERT_NEAR(made[i], factor * base[i], 3e-7 * (std::fabs(factor) + 1)) << text << i;
}

TEST(Initializer, ConstantIsValue) {
  EXPECT_EQ(Fill("type: kConstant", {3}), std::vector<float>(3, 1.f));
  EXPECT_EQ(Fill("type: kConstant value: -0.5", {2, 2}), std::vector<float>(4, -0.5f));
}

TEST(Initializer, GaussianIsNumberIOfTheStream) {
  const std::vector<float> x = Fill("type: kGaussian mean: 0.5 std: 2", {7, 9});
  for (uint64_t i = 0; i < x.size(); ++i)
    EXPECT_FLOAT_EQ(x[i], 0.5f + 2 * kStream.Gaussian(i)) << i;
}

TEST(Initializer, UniformIsNumberIOfTheStream) {
  const std::vector<float> x = Fill("type: kUniform low: -0.5 high: 1.5", {7, 9});
  for (uint64_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], -0.5f + 2 * kStream.Uniform(i)) << i;
}

TEST(Initializer, ValueMultiplies) {
  ExpectScaled("type: kGaussian mean: 1 value: 3", "type: kGaussian mean: 1", {50}, 3);
  ExpectScaled("type: kUniform low: -2 value: 0.5", "type: kUniform low: -2", {50}, 0.5);
}

TEST(Initializer, ANegativeValueTurnsTheBoundsRound) {
  const std::vector<float> x = Fill("type: kUniform low: 1 high: 2 value: -1", {1000});
  EXPECT_GE(*std::min_element(x.begin(), x.end()), -2.f);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), -1.f);
}

TEST(Initializer, SqrtKindsScaleBySides) {
  const Shape shape{12, 75};
  ExpectScaled("type: kGaussianSqrtFanIn std: 2", "type: kGaussian std: 2", shape,
               1 / std::sqrt(75.));
  ExpectScaled("type: kUniformSqrtFanIn", "type: kUniform", shape, 0.2);  // sqrt(3 / 75)
  ExpectScaled("type: kUniformSqrtFanInOut value: 2", "type: kUniform", shape, 2 / std::sqrt(87.));
}

TEST(Initializer, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (const char* type : {"kGaussian", "kUniform", "kUniformSqrtFanIn"}) {
    const std::string text = std::string("type: ") + type;
    EXPECT_EQ(Fill(text, {500, 301}, 1), Fill(text, {500, 301}, 3)) << type;
  }
}

TEST(Initializer, UniformStaysInItsBounds) {
  const std::vector<float> x =
      Fill("type: kUniformSqrtFanInOut low: -2.449 high: 2.449", {300, 300});
  const float bound = 2.449f / std::sqrt(600.f);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), -bound);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), bound);
  EXPECT_GT(*std::max_element(x.begin(), x.end()), 0.99f * bound);
}

TEST(InitializerConf, SqrtKindsDemandAMatrix) {
  for (const std::string type : {"kGaussianSqrtFanIn", "kUniformSqrtFanIn", "kUniformSqrtFanInOut"})
    EXPECT_EQ(FillErrorOf("type: " + type, {2, 3, 4}),
              "type: " + type + " needs a param of two dimensions, this one is (2, 3, 4)");
}

TEST(InitializerConf, SaysThatAParamHasNoValues) {
  const std::string expected =
      "the param needs an init with a type or a user_type: no checkpoint gives its values"
      "; allowed: kConstant, kGaussian, kUniform, kGaussianSqrtFanIn, kUniformSqrtFanIn or "
      "kUniformSqrtFanInOut";
  EXPECT_EQ(FillErrorOf(""), expected);
  EXPECT_EQ(FillErrorOf("type: kUserInit"), expected);
}

TEST(InitializerConf, NamesTheFieldOutOfRange) {
  EXPECT_EQ(FillErrorOf("type: kGaussian std: -1"), "std: must be >= 0, is -1");
  EXPECT_EQ(FillErrorOf("type: kUniform low: 2"),
            "low: must be <= high, which is 1 if not set, is 2");
  EXPECT_EQ(FillErrorOf("type: kConstant value: inf"), "value: must be finite, is inf");
}

class IdentityInit final : public Initializer {
 public:
  void Setup(const ParamGenProto&) override {}
  void Fill(Context&, Philox, const Shape& shape, float* data) const override {
    for (int64_t i = 0; i < shape.size(); ++i) data[i] = i / shape[1] == i % shape[1] ? 1.f : 0.f;
  }
};
SINGA_REGISTER_INITIALIZER(Identity, IdentityInit);

TEST(InitializerConf, FindsAUsersInitializerAndSuggestsItsName) {
  EXPECT_EQ(Fill("user_type: \"Identity\"", {2, 2}), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(FillErrorOf("user_type: \"Idntity\""),
            "user_type: nothing is registered as \"Idntity\"; did you mean \"Identity\"?");
}

}  // namespace
}  // namespace singa
