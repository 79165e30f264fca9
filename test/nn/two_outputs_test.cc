// Tests a layer with two outputs, each read twice: every edge gets its own gradient.
#include "support/net_test.h"
#include "support/proof_layers.h"

namespace singa {
namespace {
SINGA_REGISTER_LAYER(TestInput, TestInput);
SINGA_REGISTER_LAYER(TestLinear, TestLinear);
SINGA_REGISTER_LAYER(TestTwo, TestTwo);
SINGA_REGISTER_LAYER(TestLoss, TestLoss);

constexpr char kTwice[] = R"(
  layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
  layer { name: "fc" user_type: "TestLinear" srclayers: "data" param { name: "w" }
          innerproduct_conf { num_output: 4 } }
  layer { name: "two" user_type: "TestTwo" srclayers: "fc" }
  layer { name: "loss" user_type: "TestLoss"
          srclayers: "two:0" srclayers: "two:1" srclayers: "two:0" srclayers: "two:1" })";

TEST(TwoOutputs, EachReadTwiceGetsTheSumOfItsReadersGradients) {
  TestNet test(kTwice);
  ExpectParamGradients(&test);
}

TEST(TwoOutputs, ASplitIsInsertedForEachOutput) {
  TestNet test(kTwice);
  int splits = 0;
  for (const NetNode& node : test.net.nodes()) splits += node.name == "split(two)";
  EXPECT_EQ(splits, 2);
}

TEST(TwoOutputs, SplitsAliasTheDataOfTheirSource) {
  TestNet test(kTwice);
  const NetNode* two = test.net.Find("two");
  const NetNode* loss = test.net.Find("loss");
  EXPECT_EQ(loss->in[0]->data.data(), two->out[0]->data.data());
  EXPECT_EQ(loss->in[2]->data.data(), two->out[0]->data.data());
  EXPECT_EQ(loss->in[1]->data.data(), two->out[1]->data.data());
  EXPECT_NE(loss->in[1]->grad.data(), loss->in[3]->grad.data());
}

TEST(TwoOutputs, AnUnreadOutputGivesNoGradient) {
  TestNet test(R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
    layer { name: "fc" user_type: "TestLinear" srclayers: "data" param { name: "w" }
            innerproduct_conf { num_output: 4 } }
    layer { name: "two" user_type: "TestTwo" srclayers: "fc" }
    layer { name: "loss" user_type: "TestLoss" srclayers: "two:1" })");
  EXPECT_TRUE(test.net.Find("two")->out[0]->grad.empty());
  ExpectParamGradients(&test);
}

TEST(TwoOutputs, NothingRunsBackwardBelowWhatTrains) {
  TestNet test(kTwice);
  EXPECT_FALSE(test.net.Find("data")->runs_backward);
  EXPECT_TRUE(test.net.Find("fc")->in[0]->grad.empty());
}

TEST(TwoOutputs, MoreReadersThanOutputsNeedANameForEach) {
  ConfigErrors errors;
  ParamTable params;
  BuildNet(ParseNet(R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
    layer { name: "two" user_type: "TestTwo" srclayers: "data" }
    layer { name: "loss" user_type: "TestLoss" srclayers: "two" srclayers: "two" srclayers: "two" })"),
           {}, &params, &errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path(), "layer[loss].srclayers#2");
}
}  // namespace
}  // namespace singa
