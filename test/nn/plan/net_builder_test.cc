// Tests the nodes that BuildNet makes, and the errors that it collects.
#include "nn/plan/net_builder.h"

#include <string>
#include <vector>

#include "support/net_test.h"

namespace singa {
namespace net_builder_test {

constexpr char kInput[] =
    "layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 2 shape: 3 } }\n";
constexpr char kText[] =
    "unroll_len: 2 layer { name: 'text' user_type: 'TestInput' unroll_len: 1 "
    "split_conf { num_splits: 2 } dummy_conf { shape: 2 shape: 4 } }\n";

std::string Linear(const std::string& name, const std::string& source, const std::string& param) {
  return StrCat("layer { name: '", name, "' user_type: 'TestLinear' srclayers: '", source,
                "' innerproduct_conf { num_output: 3 } param { ", param, " } }\n");
}

ConfigErrors ErrorsOf(const std::string& text, NetOptions options = {}) {
  ParamTable params;
  ConfigErrors errors;
  BuildNet(ParseNet(text), options, &params, &errors);
  return errors;
}

NetOptions Unfolded() {
  NetOptions options;
  options.fold = false;
  return options;
}

TEST(NetBuilder, EachNodeKnowsItsPlace) {
  TestNet test(kInput + Linear("a", "data", "name: 'w'") + Linear("b", "a", "name: 'v'"));
  ASSERT_EQ(test.net.nodes().size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(test.net.nodes()[i].place, i);
  EXPECT_EQ(test.net.nodes()[1].path, "layer[a]");
}

TEST(NetBuilder, TheNodeOfATimeStepHasItsNumberInItsFullName) {
  TestNet test(kText + Linear("a", "text", "name: 'w'"), Unfolded());
  std::vector<std::string> names;
  for (const NetNode& node : test.net.nodes())
    if (node.name == "a") names.push_back(node.full_name);
  EXPECT_EQ(names, (std::vector<std::string>{"0#a", "1#a"}));
}

TEST(NetBuilder, AFoldedLayerIsOneNodeOverTheRowsOfAllSteps) {
  TestNet test(kText + Linear("a", "text", "name: 'w'"));
  EXPECT_EQ(test.net.nodes().size(), 2u);
  const NetNode& a = *test.net.Find("a");
  EXPECT_EQ(a.full_name, "a");
  EXPECT_EQ(a.in[0]->data.shape(), Shape({4, 4}));
  EXPECT_EQ(a.in[0]->span.steps, 2);
}

TEST(NetBuilder, HasThePhaseOfItsOptions) {
  NetOptions options;
  options.phase = kTest;
  TestNet test(
      StrCat(kInput, Linear("a", "data", "name: 'w'"),
             "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'a' include: kTrain }"),
      options);
  EXPECT_EQ(test.net.phase(), kTest);
  EXPECT_EQ(test.net.Find("loss"), nullptr);
}

TEST(NetBuilder, TellsTheMistakesOfAllLayers) {
  const ConfigErrors errors =
      ErrorsOf(StrCat(kInput,
                      "layer { name: 'a' type: kDropout srclayers: 'data' "
                      "dropout_conf { dropout_ratio: 2 } } layer { name: 'b' type: kDropout "
                      "srclayers: 'data' dropout_conf { dropout_ratio: -1 } }"));
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].path(), "layer[a].dropout_conf.dropout_ratio");
  EXPECT_EQ(errors[1].path(), "layer[b].dropout_conf.dropout_ratio");
}

TEST(NetBuilder, TellsAMistakeOnceForAllTimeStepsAndNotForTheLayersAbove) {
  const ConfigErrors errors =
      ErrorsOf(StrCat(kText, "layer { name: 'bad' type: kDropout srclayers: 'text' ",
                      "dropout_conf { dropout_ratio: 2 } }", Linear("a", "bad", "name: 'w'")),
               Unfolded());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path(), "layer[bad].dropout_conf.dropout_ratio");
}

TEST(NetBuilder, TwoParamsOfOneNameAreAnError) {
  const ConfigErrors errors =
      ErrorsOf(kInput + Linear("a", "data", "name: 'w'") + Linear("b", "data", "name: 'w'"));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path(), "layer[b].param[0].name");
  EXPECT_NE(errors[0].message().find("layer[a].param[0]"), std::string::npos)
      << errors[0].message();
}

TEST(NetBuilder, WithoutGradientsNothingRunsBackward) {
  const std::string text = StrCat(kInput, Linear("a", "data", "name: 'w'"),
                                  "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'a' }");
  EXPECT_TRUE(TestNet(text).net.Find("a")->runs_backward);
  NetOptions options;
  options.gradients = false;
  EXPECT_FALSE(TestNet(text, options).net.Find("a")->runs_backward);
}

}  // namespace net_builder_test
}  // namespace singa
