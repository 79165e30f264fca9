// Tests that a layer which does the work of its reader gives the same numbers as two separate
// layers.
#include <algorithm>

#include "support/net_test.h"

namespace singa {
namespace {

std::string NormThenRelu(const std::string& relu) {
  return R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 6 shape: 3 } }
    layer { name: "fc" user_type: "TestLinear" srclayers: "data" param { name: "w" }
            innerproduct_conf { num_output: 5 } }
    layer { name: "norm" type: kBM srclayers: "fc" param { name: "gamma" } param { name: "beta" }
            param { name: "mean" } param { name: "variance" } }
    layer { name: "relu" type: kReLU srclayers: "norm" )" +
         relu + R"( }
    layer { name: "loss" user_type: "TestLoss" srclayers: "relu" })";
}

// A residual block: a branch, then the shortcut.
std::string SumThenRelu(const std::string& settings = "", const std::string& more = "") {
  return StrCat(R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 6 shape: 3 } }
    layer { name: "first" user_type: "TestLinear" srclayers: "data" param { name: "w" }
            innerproduct_conf { num_output: 5 } }
    layer { name: "branch" user_type: "TestLinear" srclayers: "first" param { name: "v" }
            innerproduct_conf { num_output: 5 } }
    layer { name: "sum" type: kEltwise srclayers: "branch" srclayers: "first" eltwise_conf { )",
                settings, R"( } }
    layer { name: "relu" type: kReLU srclayers: "sum" }
    layer { name: "loss" user_type: "TestLoss" srclayers: "relu" })",
                more);
}

std::vector<float> Feature(TestNet* test, const std::string& layer) {
  const Tensor& data = test->net.Find(layer)->out[0]->data;
  return {data.data(), data.data() + data.size()};
}

void ExpectSame(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6) << i;
}

TEST(Fuse, ANormAndItsReluAgreeWithTheTwoApart) {
  for (const bool plain : {false, true}) {
    TestNet together(NormThenRelu("")), apart(NormThenRelu(""), {.reuse = false});
    together.ctx.plain = apart.ctx.plain = plain;
    ASSERT_TRUE(together.net.Find("relu")->fused);
    ASSERT_FALSE(apart.net.Find("relu")->fused);
    for (TestNet* test : {&together, &apart}) test->Forward();
    const std::vector<float> y = Feature(&apart, "relu");
    const auto cut = std::count(y.begin(), y.end(), 0.f);
    ASSERT_TRUE(cut > 0 && cut < static_cast<int64_t>(y.size())) << cut;
    ExpectSame(Feature(&together, "relu"), y);
    for (TestNet* test : {&together, &apart}) test->Backward();
    for (const char* param : {"w", "gamma", "beta"})
      ExpectSame(together.Grad(param), apart.Grad(param));
  }
}

// The 600 rows are three blocks of kBM's sums. One thread and two compute them.
TEST(Fuse, AgreesOnManyRowsAndThreads) {
  std::string text = NormThenRelu("");
  text.replace(text.find("shape: 6"), 8, "shape: 600");
  TestNet apart(text, {.reuse = false});
  apart.Forward();
  const std::vector<float> y = Feature(&apart, "relu");
  apart.Backward();
  for (const int threads : {1, 2}) {
    TestNet together(text);
    together.ctx.threads = threads;
    together.Forward();
    ExpectSame(Feature(&together, "relu"), y);
    together.Backward();
    for (const char* param : {"w", "gamma", "beta"})
      ExpectSame(together.Grad(param), apart.Grad(param));
  }
}

TEST(Fuse, ATestUsesTheRunningStatisticsAndCuts) {
  TestNet together(NormThenRelu("")), apart(NormThenRelu(""), {.reuse = false});
  for (TestNet* test : {&together, &apart}) {
    for (float& v : std::span(test->params.Find("variance")->data.data(), 5)) v = std::abs(v) + 1;
    for (NetNode& node : test->net.nodes())
      test->net.ComputeFeature(test->ctx, node, static_cast<Phase>(kTest | kForward));
  }
  const std::vector<float> y = Feature(&apart, "relu");
  EXPECT_GT(std::count(y.begin(), y.end(), 0.f), 0);
  ExpectSame(Feature(&together, "relu"), y);
}

TEST(Fuse, ChecksListOfKernelsHasNoneOfTheLayerWhoseWorkIsDone) {
  TestNet test(NormThenRelu(""), {}, false);
  std::vector<KernelChoice> choices;
  test.ctx.choices = &choices;
  PrepareNet(test.ctx, &test.net);
  for (const KernelChoice& choice : choices) EXPECT_NE(choice.layer, "relu");
  EXPECT_FALSE(choices.empty());
}

TEST(Fuse, GradientsMatchDifferences) {
  TestNet test(NormThenRelu(""));
  ExpectParamGradients(&test, 1e-3f);  // so small a step crosses no kink
}

TEST(Fuse, AResidualSumAndItsReluAgreeWithTheTwoApart) {
  for (const char* settings : {"", "coeff: 0.5 coeff: -1"})
    for (const bool plain : {false, true}) {
      const std::string text = SumThenRelu(settings);
      TestNet together(text), apart(text, {.reuse = false});
      together.ctx.plain = apart.ctx.plain = plain;
      ASSERT_TRUE(together.net.Find("relu")->fused);
      ASSERT_FALSE(apart.net.Find("relu")->fused);
      for (TestNet* test : {&together, &apart}) test->Forward();
      const std::vector<float> y = Feature(&apart, "relu");
      const auto cut = std::count(y.begin(), y.end(), 0.f);
      ASSERT_TRUE(cut > 0 && cut < static_cast<int64_t>(y.size())) << cut;
      ExpectSame(Feature(&together, "relu"), y);
      for (TestNet* test : {&together, &apart}) test->Backward();
      for (const char* param : {"w", "v"}) ExpectSame(together.Grad(param), apart.Grad(param));
    }
}

TEST(Fuse, GradientsOfAResidualSumMatchDifferences) {
  TestNet test(SumThenRelu());
  ExpectParamGradients(&test, 1e-3f);  // so small a step crosses no kink
}

TEST(Fuse, OnlySumsCutNegatives) {
  for (const char* operation : {"operation: PROD", "operation: MAX"}) {
    TestNet test(SumThenRelu(operation));
    EXPECT_FALSE(test.net.Find("relu")->fused) << operation;
  }
}

constexpr char kFuseRows[] = R"(user_type: "TestInput" dummy_conf { shape: 6 shape: 3 })";
constexpr char kFuseImages[] =
    "type: kDummy dummy_conf { input: true shape: 4 shape: 3 shape: 2 shape: 2 }";
constexpr char kFuseManyRows[] = R"(user_type: "TestInput" dummy_conf { shape: 9000 shape: 3 })";

// An inner product of 13 units, whose reader is `function`.
std::string ProductThen(const std::string& input, const std::string& function,
                        const std::string& settings = "") {
  return StrCat("layer { name: 'data' ", input, R"( }
    layer { name: "first" type: kInnerProduct srclayers: "data" param { name: "v" }
            param { name: "a" } innerproduct_conf { num_output: 4 } }
    layer { name: "fc" type: kInnerProduct srclayers: "first" param { name: "w" }
            param { name: "b" } innerproduct_conf { num_output: 13 )",
                settings, R"( } }
    layer { name: "function" srclayers: "fc" )",
                function, R"( }
    layer { name: "loss" user_type: "TestLoss" srclayers: "function" })");
}

std::string Named(const std::string& function) {
  return StrCat("type: kActivation activation_conf { type: ", function, " }");
}

void ExpectFusedIsApart(const std::string& text, int threads) {
  TestNet together(text), apart(text, {.reuse = false});
  together.ctx.threads = threads;
  ASSERT_TRUE(together.net.Find("function")->fused);
  ASSERT_FALSE(apart.net.Find("function")->fused);
  for (TestNet* test : {&together, &apart}) test->Forward();
  ExpectSame(Feature(&together, "function"), Feature(&apart, "function"));
  for (TestNet* test : {&together, &apart}) test->Backward();
  for (const auto& param : apart.params.params())
    ExpectSame(together.Grad(param->name()), apart.Grad(param->name()));
}

TEST(Fuse, AnInnerProductAndItsSmoothFunctionAgreeWithTheTwoApart) {
  for (const char* function : {"GELU", "SILU"}) {
    for (const char* settings : {"", "bias_term: false", "transpose: true"})
      ExpectFusedIsApart(ProductThen(kFuseRows, Named(function), settings), 1);
    ExpectFusedIsApart(ProductThen(kFuseImages, Named(function)), 1);
    for (const int threads : {1, 3})
      ExpectFusedIsApart(ProductThen(kFuseManyRows, Named(function)), threads);
  }
}

// The source of the product is an image, which it reorders.
TEST(Fuse, AnInnerProductOfImagesAgreesWithTheTwoApart) {
  const std::string text = StrCat("layer { name: 'data' ", kFuseImages, R"( }
    layer { name: "conv" type: kConvolution srclayers: "data" param { name: "v" }
            param { name: "a" } convolution_conf { num_filters: 3 kernel: 2 pad: 1 } }
    layer { name: "fc" type: kInnerProduct srclayers: "conv" param { name: "w" }
            param { name: "b" } innerproduct_conf { num_output: 5 } }
    layer { name: "function" srclayers: "fc" )",
                                  Named("GELU"), R"( }
    layer { name: "loss" user_type: "TestLoss" srclayers: "function" })");
  ExpectFusedIsApart(text, 1);
}

TEST(Fuse, GradientsOfAnInnerProductAndItsFunctionMatchDifferences) {
  TestNet test(ProductThen(kFuseRows, Named("GELU")));
  ASSERT_TRUE(test.net.Find("function")->fused);
  ExpectParamGradients(&test);
}

TEST(Fuse, ABackwardPassNeedsNoTensorButTheSlopes) {
  TestNet test(ProductThen(kFuseRows, Named("GELU")));
  ASSERT_TRUE(test.net.Find("function")->fused);
  int kept = 0;
  for (const Buffer& buffer : test.net.Find("fc")->declared().buffers)
    if (buffer.keep == Keep::kForwardToBackward) ++kept;
  EXPECT_EQ(kept, 1);
}

TEST(Fuse, WithoutABackwardPassTheFunctionIsInPlace) {
  const std::string text = ProductThen(kFuseRows, Named("SILU"));
  TestNet together(text, {.gradients = false}), apart(text, {.reuse = false});
  ASSERT_TRUE(together.net.Find("function")->fused);
  for (const Buffer& buffer : together.net.Find("fc")->declared().buffers)
    EXPECT_NE(buffer.keep, Keep::kForwardToBackward);
  for (TestNet* test : {&together, &apart}) test->Forward();
  ExpectSame(Feature(&together, "function"), Feature(&apart, "function"));
}

TEST(Fuse, AnInnerProductAppliesNoOtherFunction) {
  for (const std::string& function :
       {Named("RELU"), Named("TANH"), std::string("type: kReLU"), std::string("type: kSigmoid")})
    EXPECT_FALSE(TestNet(ProductThen(kFuseRows, function)).net.Find("function")->fused) << function;
}

// Returns the net with the kReLU written as a kActivation.
std::string ByName(std::string text, const std::string& type, const std::string& function) {
  const std::string relu = "type: kReLU";
  return text.replace(text.find(relu), relu.size(),
                      StrCat("type: ", type, " activation_conf { type: ", function, " }"));
}

TEST(Fuse, AnActivationOfReluIsARelu) {
  for (const std::string& text : {NormThenRelu(""), SumThenRelu()})
    for (const char* type : {"kActivation", "kCudnnActivation"}) {
      const std::string named = ByName(text, type, "RELU");
      TestNet together(named), apart(named, {.reuse = false});
      ASSERT_TRUE(together.net.Find("relu")->fused) << type;
      for (TestNet* test : {&together, &apart}) test->Forward();
      ExpectSame(Feature(&together, "relu"), Feature(&apart, "relu"));
      for (TestNet* test : {&together, &apart}) test->Backward();
      ExpectSame(together.Grad("w"), apart.Grad("w"));
      EXPECT_FALSE(TestNet(ByName(text, type, "GELU")).net.Find("relu")->fused) << type;
    }
}

TEST(Fuse, ALeakyReluStaysApart) {
  TestNet test(NormThenRelu("relu_conf { negative_slope: 0.1 }"));
  EXPECT_FALSE(test.net.Find("relu")->fused);
}

TEST(Fuse, AFeatureThatAnotherLayerReadsStaysWhole) {
  const std::string second = R"(layer { name: "second" user_type: "TestLoss" srclayers: "norm" })";
  TestNet test(NormThenRelu("") + second);
  EXPECT_FALSE(test.net.Find("relu")->fused);
}

}  // namespace
}  // namespace singa
