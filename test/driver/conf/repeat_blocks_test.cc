#include "driver/conf/repeat_blocks.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "driver/conf/check_job.h"

namespace singa {
namespace {

using google::protobuf::TextFormat;
using google::protobuf::util::MessageDifferencer;

// Returns the names of the net's layers.
std::vector<std::string> Names(const NetProto& net) {
  std::vector<std::string> names;
  for (const LayerProto& layer : net.layer()) names.push_back(layer.name());
  return names;
}

NetProto Expanded(const std::string& text) {
  NetProto net;
  EXPECT_TRUE(TextFormat::ParseFromString(text, &net)) << text;
  for (const ConfigError& error : ExpandRepeats(&net, nullptr)) ADD_FAILURE() << error.what();
  return net;
}

// Returns the findings about a net in a job, a line each.
std::string Find(const std::string& net, const std::vector<std::string>& sets = {}) {
  JobProto job;
  const JobConf conf("F", "neuralnet {\n" + net + "\n}", sets, &job);
  std::string lines;
  for (const Diagnostic& diagnostic : conf.diagnostics()) lines += ToString("F", diagnostic) + "\n";
  return lines;
}

TEST(RepeatBlocksTest, CopiesFollowTheLayersAndCountFromOne) {
  const NetProto net = Expanded(
      "repeat { times: 2 layer { name: 'a{i}' } layer { name: 'b{i}' } } layer { name: 'data' }");
  EXPECT_EQ(Names(net), (std::vector<std::string>{"data", "a1", "b1", "a2", "b2"}));
  EXPECT_EQ(net.repeat_size(), 0);
}

TEST(RepeatBlocksTest, BlocksFollowEachOther) {
  EXPECT_EQ(Names(Expanded("repeat { times: 1 layer { name: 'a{i}' } }"
                           "repeat { times: 2 first: 9 index: 'k' layer { name: 'b{k}' } }")),
            (std::vector<std::string>{"a1", "b9", "b10"}));
}

TEST(RepeatBlocksTest, EachTextOfALayerGetsTheNumber) {
  const NetProto net = Expanded(
      "repeat { times: 1 first: 3 layer { name: 'x{i}{i}' srclayers: ['x{i-1}', 'data'] "
      "srclayers: 'y{i+10}' param { name: 'w{i}' share_from: 'w{i-3}' } "
      "store_conf { path: 'p{i}/t' } } }");
  LayerProto layer;
  ASSERT_TRUE(TextFormat::ParseFromString(
      "name: 'x33' srclayers: ['x2', 'data', 'y13'] param { name: 'w3' share_from: 'w0' } "
      "store_conf { path: 'p3/t' }",
      &layer));
  EXPECT_TRUE(MessageDifferencer::Equals(net.layer(0), layer)) << net.layer(0).DebugString();
}

TEST(RepeatBlocksTest, AWrongSettingIsAnErrorOfTheBlock) {
  EXPECT_EQ(Find("repeat { times: 0 layer { name: 'a' } }"),
            "F:2:10: error: neuralnet.repeat[0].times: must be >= 1, is 0\n");
  EXPECT_EQ(Find("repeat { layer { name: 'a' } }"),
            "F:2:1: error: neuralnet.repeat[0].times: is required, but missing\n");
  EXPECT_EQ(Find("repeat { times: 1 first: -1 layer { name: 'a' } }"),
            "F:2:19: error: neuralnet.repeat[0].first: must be >= 0, is -1\n");
  EXPECT_EQ(Find("repeat { times: 1 index: '2' layer { name: 'a' } }"),
            "F:2:19: error: neuralnet.repeat[0].index: must be a name of letters, digits and _, is "
            "\"2\"\n");
  EXPECT_EQ(Find("repeat { times: 1 }"),
            "F:2:1: error: neuralnet.repeat[0].layer: is missing: there is nothing to copy\n");
}

TEST(RepeatBlocksTest, ANetHasNoMoreLayersThanItMay) {
  EXPECT_EQ(Find("layer { name: 'x' }\nrepeat { times: 5000 layer { name: 'a{i}' } "
                 "layer { name: 'b{i}' } }"),
            "F:3:10: error: neuralnet.repeat[0].times: gives the net 10001 layers, more than "
            "10000\n");
  EXPECT_NE(Find("repeat { times: 2147483647 layer { name: 'a{i}' } }"), "");
}

TEST(RepeatBlocksTest, CopiesAreNoLargerThanAConfMayBe) {
  const std::string block =
      "repeat { times: 5 layer { name: 'a{i}' user_type: '" + std::string(2 << 20, 'x') + "' } }\n";
  EXPECT_EQ(Find(block), "");
  EXPECT_EQ(Find(block + block),
            "F:3:10: error: neuralnet.repeat[1].times: gives copies of more than 16 MiB, the limit "
            "of a conf\n");
}

TEST(RepeatBlocksTest, BracesThatAreNoNumberAreErrorsInTheirPlace) {
  EXPECT_EQ(
      Find("repeat { times: 9 layer { name: 'a{j}' } }"),
      "F:2:27: error: neuralnet.repeat[0].layer[a{j}].name: braces in a repeat must hold {i}, "
      "{i+N} or {i-N}, hold {j}\n");
  for (const char* const text : {"{", "{}", "{i", "{i+}", "{i-}", "{ii}", "{i+1x}", "{i+-1}",
                                 "{i*2}", "{i+99999999999}", "{ i}"})
    EXPECT_NE(Find("repeat { times: 1 layer { name: '" + std::string(text) + "' } }"), "") << text;
}

TEST(RepeatBlocksTest, ABraceThatIsNotClosedIsAnError) {
  EXPECT_EQ(
      Find("repeat { times: 1 layer { name: 'a{i' } }"),
      "F:2:27: error: neuralnet.repeat[0].layer[a{i].name: a brace in a repeat must be closed, "
      "as in {i}, is {i\n");
}

TEST(RepeatBlocksTest, ALayerOfSeveralCopiesHasTheNumberInItsName) {
  EXPECT_EQ(Find("repeat { times: 2 layer { name: 'a' } layer { name: 'b{i}' } }"),
            "F:2:27: error: neuralnet.repeat[0].layer[a].name: must have {i}, as each copy needs "
            "its own name\n");
  EXPECT_EQ(Find("repeat { times: 1 layer { name: 'a' } }"), "");
}

TEST(RepeatBlocksTest, ANumberBelowZeroIsAnError) {
  EXPECT_EQ(
      Find("repeat { times: 2 layer { name: 'a{i}' srclayers: 'b' srclayers: 'a{i-2}' } }"),
      "F:2:55: error: neuralnet.repeat[0].layer[a{i}].srclayers: {i-2} must be >= 0, is -1 in "
      "copy 1, the first; set first: 2 or more\n");
}

TEST(RepeatBlocksTest, AFirstCopyOfNumber0HasNoNumberBefore) {
  EXPECT_EQ(Find("repeat { times: 2 first: 0 layer { name: 'a{i}' srclayers: 'a{i+1}' } }"), "");
  EXPECT_EQ(Find("repeat { times: 2 first: 0 layer { name: 'a{i-1}' } }"),
            "F:2:36: error: neuralnet.repeat[0].layer[a{i-1}].name: {i-1} must be >= 0, is -1 in "
            "copy 0, the first; set first: 1 or more\n");
}

TEST(RepeatBlocksTest, AMistakeOfAllCopiesIsToldOnceAtItsPlaceInTheBlock) {
  EXPECT_EQ(Find("repeat {\n times: 9\n layer {\n  name: 'a{i}'\n  param { init {} }\n"
                 "  innerproduct_conf {}\n }\n}"),
            "F:7:3: error: neuralnet.layer[a1].innerproduct_conf.num_output: is required, but "
            "missing\n");
}

TEST(RepeatBlocksTest, AnOptionChangesABlockOrALayerOfACopy) {
  JobProto job;
  const JobConf conf("F", "neuralnet { repeat { times: 1 layer { name: 'a{i}' type: kReLU } } }",
                     {"neuralnet.layer[a3].type=kSTanh", "neuralnet.repeat[0].times=3"}, &job);
  EXPECT_EQ(conf.Render(), "");
  ASSERT_EQ(Names(job.neuralnet()), (std::vector<std::string>{"a1", "a2", "a3"}));
  EXPECT_EQ(job.neuralnet().layer(1).type(), kReLU);
  EXPECT_EQ(job.neuralnet().layer(2).type(), kSTanh);
}

TEST(RepeatBlocksTest, AnOptionNamesALayerOfABlock) {
  JobProto job;
  const JobConf conf("F", "neuralnet { repeat { times: 2 layer { name: 'a{i}' type: kReLU } } }",
                     {"neuralnet.repeat[0].layer[a{i}].type=kSTanh"}, &job);
  EXPECT_EQ(conf.Render(), "");
  ASSERT_EQ(Names(job.neuralnet()), (std::vector<std::string>{"a1", "a2"}));
  for (const LayerProto& layer : job.neuralnet().layer()) EXPECT_EQ(layer.type(), kSTanh);
  EXPECT_EQ(Find("repeat { times: 2 layer { name: 'a{i}' } }",
                 {"neuralnet.repeat[0].layer[b{i}].type=kReLU"}),
            "-set neuralnet.repeat[0].layer[b{i}].type: error: no layer \"b{i}\"; did you mean "
            "\"a{i}\"?\n");
}

TEST(RepeatBlocksTest, AWrongValueOfAnOptionIsTheOptions) {
  EXPECT_EQ(Find("repeat { times: 1 layer { name: 'a{i}' } }", {"neuralnet.repeat[0].times=0"}),
            "-set neuralnet.repeat[0].times: error: must be >= 1, is 0\n");
  EXPECT_EQ(Find("repeat { times: 1 layer { name: 'a{i}' } }", {"neuralnet.layer[a2].type=kReLU"}),
            "-set neuralnet.layer[a2].type: error: no layer \"a2\"; did you mean \"a1\"?\n");
}

TEST(RepeatBlocksTest, AJobThatHasNoFileIsExpanded) {
  JobProto job;
  ASSERT_TRUE(TextFormat::ParseFromString(
      "neuralnet { repeat { times: 2 layer { name: 'a{i}' } } }", &job));
  ExpandBlocksOf(&job);
  EXPECT_EQ(Names(job.neuralnet()), (std::vector<std::string>{"a1", "a2"}));
  job.mutable_neuralnet()->add_repeat();
  try {
    ExpandBlocksOf(&job);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "neuralnet.repeat[0].times");
  }
}

}  // namespace
}  // namespace singa
