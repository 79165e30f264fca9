// Tests which fields of a job.conf a checkpoint keeps, and how changes of them are reported.
#include "driver/job/conf_fields.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

ConfFields Fields(const std::string& text) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return FieldsOf(job);
}

TEST(ConfFieldsTest, HasPathsAndValuesAsAUserWritesThem) {
  const ConfFields fields = Fields(R"(
      updater { type: kSGD momentum: 0.5 }
      neuralnet { layer { name: "x" type: kDummy dummy_conf { shape: 64 shape: 3 } }
                  layer { name: "y" type: kReLU relu_conf {} srclayers: "x" } })");
  EXPECT_EQ(fields, (ConfFields{{"neuralnet.layer[x].dummy_conf.shape", "[64, 3]"},
                                {"neuralnet.layer[x].name", "\"x\""},
                                {"neuralnet.layer[x].type", "kDummy"},
                                {"neuralnet.layer[y].name", "\"y\""},
                                {"neuralnet.layer[y].relu_conf", "{}"},
                                {"neuralnet.layer[y].srclayers", "[\"x\"]"},
                                {"neuralnet.layer[y].type", "kReLU"},
                                {"updater.momentum", "0.5"},
                                {"updater.type", "kSGD"}}));
}

TEST(ConfFieldsTest, LacksFieldsThatChangeNothingThatIsTrained) {
  EXPECT_EQ(Fields(R"(name: "a" train_steps: 9 disp_freq: 2 test_freq: 3 checkpoint_freq: 4 step: 5
                      cluster { workspace: "ws" peer_timeout: 7 nworkers_per_procs: 2 })"),
            ConfFields());
  EXPECT_EQ(Fields(R"(test_steps: 3 validate_steps: 4 checkpoint_path: "x" debug: true)"),
            ConfFields());
}

TEST(ConfFieldsTest, ProcessesMayDifferInTheirPlacesAlone) {
  const auto common = [](const std::string& text) {
    JobProto job;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
    return CommonFieldsOf(job);
  };
  const ConfFields fields = common(R"(train_steps: 9 gpu: 1 updater { momentum: 0.5 }
      cluster { workspace: "ws" coordinator: "a:1" bind: "eth0" peer_timeout: 7 }
      neuralnet { layer { name: "x" } })");
  EXPECT_EQ(fields.size(), 4u);
  EXPECT_EQ(fields.at("train_steps"), "9");
  EXPECT_EQ(fields.at("updater.momentum"), "0.5");
  EXPECT_EQ(fields.at("cluster.peer_timeout"), "7");
  EXPECT_NE(fields.at("neuralnet"), common("neuralnet { layer { name: \"y\" } }").at("neuralnet"));
}

TEST(ConfFieldsTest, ALongListIsCutAndStillTellsAChange) {
  std::string text = "neuralnet { layer { name: \"x\" dummy_conf {";
  for (int i = 0; i < 1000; ++i) text += " shape: 7";
  const ConfFields sevens = Fields(text + " shape: 7 } } }"),
                   other = Fields(text + " shape: 8 } } }");
  const std::string& value = sevens.at("neuralnet.layer[x].dummy_conf.shape");
  EXPECT_LT(value.size(), 250u);
  EXPECT_NE(value, other.at("neuralnet.layer[x].dummy_conf.shape"));
}

TEST(ConfFieldsTest, NamesWhatChangedWithBothValues) {
  EXPECT_EQ(
      ChangedFields({{"a", "1"}, {"b", "2"}, {"c", "3"}}, {{"a", "1"}, {"b", "4"}, {"d", "5"}}),
      "b was 2, is 4; c was 3, is not given; d was not given, is 5");
  EXPECT_EQ(ChangedFields({{"a", "1"}}, {{"a", "1"}}), "");
}

TEST(ConfFieldsTest, NamesTenAndCountsTheOthers) {
  ConfFields then, now;
  for (char c = 'a'; c < 'm'; ++c) then[{c}] = "1";
  for (char c = 'a'; c < 'm'; ++c) now[{c}] = "2";
  const std::string text = ChangedFields(then, now);
  EXPECT_NE(text.find("j was 1, is 2; and 2 more"), std::string::npos) << text;
}

}  // namespace
}  // namespace singa
