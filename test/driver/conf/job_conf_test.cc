#include "driver/conf/job_conf.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "singa/proto/job.pb.h"

namespace singa {
namespace {

using google::protobuf::util::MessageDifferencer;

class JobConfTest : public ::testing::Test {
 protected:
  // Returns the findings in `text`, one a line.
  std::string Find(const std::string& text, const std::vector<std::string>& options = {}) {
    return Lines(JobConf("F", text, options, &job_));
  }
  static std::string Lines(const JobConf& conf) {
    std::string lines;
    for (const Diagnostic& diagnostic : conf.diagnostics())
      lines += ToString("F", diagnostic) + "\n";
    return lines;
  }

  JobProto job_;
};

TEST_F(JobConfTest, ReadsValues) {
  EXPECT_EQ(
      Find("name: 'a' 'b' gpu: [0, 1] gpu: 2 updater: < momentum: -.5e1f >; disp_freq: 0x10,"), "");
  EXPECT_EQ(job_.name(), "ab");
  EXPECT_EQ(job_.gpu_size(), 3);
  EXPECT_EQ(job_.updater().momentum(), -5);
  EXPECT_EQ(job_.disp_freq(), 16);
}

TEST_F(JobConfTest, CountsATabAsOneColumn) {
  EXPECT_EQ(Find("\t\tname:\t3"), "F:1:3: error: name: must be a string in quotes, is 3\n");
}

TEST_F(JobConfTest, CountsColumnsInBytes) {
  EXPECT_EQ(Find("name: \"\xC3\xA9\" gpu: x"), "F:1:12: error: gpu: must be an integer, is x\n");
}

TEST_F(JobConfTest, SkipsAByteOrderMark) {
  EXPECT_EQ(Find("\xEF\xBB\xBFname: 3"), "F:1:4: error: name: must be a string in quotes, is 3\n");
}

TEST_F(JobConfTest, TakesAnyBytesInComments) { EXPECT_EQ(Find("# caf\xE9\nname: 'x'"), ""); }

TEST_F(JobConfTest, ReportsAllMistakesInOnePass) {
  EXPECT_EQ(Find("nane: 'x'\ntrain_steps: 1.5\nupdater { type: kSGDD momentum: nan }\n"
                 "seed: -1\ndebug: yes\nname: 'a'\nname: 'b'\n"),
            "F:1:1: error: nane: no such field in JobProto; did you mean \"name\"?\n"
            "F:2:1: error: train_steps: must be an integer, is 1.5\n"
            "F:3:11: error: updater.type: must be kSGD, kAdaGrad, kRMSProp, kNesterov, kAdaDelta, "
            "kAdam, kAdamMax, kAdamW or kUserUpdater, is kSGDD; did you mean \"kSGD\"?\n"
            "F:3:23: error: updater.momentum: must be finite, is nan\n"
            "F:4:1: error: seed: must be >= 0, is -1\n"
            "F:5:1: error: debug: must be true or false, is yes\n"
            "F:7:1: error: name: is given twice, first in line 6\n");
}

TEST_F(JobConfTest, NamesLayersInPaths) {
  EXPECT_EQ(Find("neuralnet {\n layer { x: 1 name: 'a' }\n layer { name: 'b' x: 1 }\n"
                 " layer { name: 'b' x: 1 }\n layer { x: 1 param { } param { x: 1 } }\n}"),
            "F:2:10: error: neuralnet.layer[a].x: no such field in LayerProto\n"
            "F:3:20: error: neuralnet.layer[b#0].x: no such field in LayerProto\n"
            "F:4:20: error: neuralnet.layer[b#1].x: no such field in LayerProto\n"
            "F:5:2: error: neuralnet.layer[3].name: is required, but missing\n"
            "F:5:10: error: neuralnet.layer[3].x: no such field in LayerProto\n"
            "F:5:33: error: neuralnet.layer[3].param[1].x: no such field in ParamProto\n");
}

TEST_F(JobConfTest, PlacesAMissingFieldAtItsMessage) {
  EXPECT_EQ(Find("updater {\n  rmsprop_conf { }\n}"),
            "F:2:3: error: updater.rmsprop_conf.rho: is required, but missing\n");
}

TEST_F(JobConfTest, StopsAtASyntaxErrorButTellsWhatCameBefore) {
  EXPECT_EQ(Find("gpu: x\nneuralnet {\n  layer { name: 'a' type: }\n}\nbad: 3\n"),
            "F:1:1: error: gpu: must be an integer, is x\n"
            "F:3:27: error: neuralnet.layer[a]: expected a value, found \"}\"\n");
}

TEST_F(JobConfTest, PlacesAnUnclosedStringAtItsQuote) {
  EXPECT_EQ(Find("name: \"x\n"), "F:1:7: error: the string has no closing quote\n");
}

TEST_F(JobConfTest, RefusesBytesThatAreNoText) {
  EXPECT_EQ(Find(std::string("name: 'x'\n\0", 11)),
            "F:2:1: error: the file has a control character here; is it text?\n");
  EXPECT_EQ(Find("name: 'a\\000'"), "F:1:1: error: name: must not contain a NUL byte\n");
  EXPECT_EQ(Find("name: 'a\xC3'"), "F:1:1: error: name: must be UTF-8, is not from byte 1 on\n");
  EXPECT_EQ(Find("name: 'a\\355\\240\\200'"),
            "F:1:1: error: name: must be UTF-8, is not from byte 1 on\n");
}

TEST_F(JobConfTest, BoundsNesting) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "train_one_batch { cd_conf { ";
  EXPECT_NE(Find(text).find("messages are nested deeper than 64"), std::string::npos);
  EXPECT_NE(Find("x: " + std::string(100000, '[')).find("nested deeper"), std::string::npos);
}

TEST_F(JobConfTest, BoundsTheNumberOfFindings) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "x: 1\n";
  const JobConf conf("F", text, {}, &job_);
  EXPECT_EQ(conf.diagnostics().size(), 1000u);
}

TEST_F(JobConfTest, HintsAtTheMessageThatHasTheField) {
  EXPECT_EQ(
      Find("momentum: 0.9\nupdater { train_steps: 3 }"),
      "F:1:1: error: momentum: no such field in JobProto; did you mean \"updater.momentum\"?\n"
      "F:2:11: error: updater.train_steps: no such field in UpdaterProto; it belongs to "
      "JobProto, outside of these braces\n");
}

TEST_F(JobConfTest, HoldsNothingWhereThereAreErrors) {
  Find("name: 'x' gpu: x");
  EXPECT_FALSE(job_.has_name());
}

// Registers a third party's extensions of JobProto: [my.n], a number, and [my.cd], a message.
void RegisterExtensions() {
  static const std::string file = [] {
    google::protobuf::FileDescriptorProto proto;
    google::protobuf::TextFormat::ParseFromString(
        "name: 'my.proto' package: 'my' dependency: 'job.proto' "
        "extension { name: 'n' number: 150 type: TYPE_INT32 label: LABEL_OPTIONAL "
        "            extendee: '.singa.JobProto' } "
        "extension { name: 'cd' number: 151 type: TYPE_MESSAGE label: LABEL_OPTIONAL "
        "            type_name: '.singa.CDProto' extendee: '.singa.JobProto' }",
        &proto);
    std::string bytes = proto.SerializeAsString();
    google::protobuf::DescriptorPool::InternalAddGeneratedFile(bytes.data(),
                                                               static_cast<int>(bytes.size()));
    return bytes;
  }();
}

TEST_F(JobConfTest, ReadsAndPlacesExtensions) {
  RegisterExtensions();
  JobConf conf("F", "[my.n]: 3\n[my.cd] { cd_k: 2 }", {"[my.n]=4"}, &job_);
  EXPECT_TRUE(conf.ok()) << conf.Render();
  conf.Add(ConfigError("[my.cd].cd_k", "x"));
  conf.Add(ConfigError("[my.n]", "y"));
  EXPECT_EQ(Lines(conf), "F:2:11: error: [my.cd].cd_k: x\n-set [my.n]: error: y\n");
}

TEST_F(JobConfTest, JudgesExtensions) {
  RegisterExtensions();
  EXPECT_EQ(Find("[my.n]: x\n[my.cd] { cdk: 2 }\n[my.nn]: 3"),
            "F:1:1: error: [my.n]: must be an integer, is x\n"
            "F:2:11: error: [my.cd].cdk: no such field in CDProto; did you mean \"cd_k\"?\n"
            "F:3:1: error: [my.nn]: no such extension of JobProto; did you mean \"[my.n]\"?\n");
}

class LocateTest : public JobConfTest {
 protected:
  // Returns the line that an error at `path` gets.
  std::string Locate(const std::string& path) {
    JobConf conf("F", text_, {}, &job_);
    conf.Add(ConfigError(path, "x"));
    return Lines(conf);
  }
  const std::string text_ =
      "neuralnet {\n  layer { name: 'a' }\n  layer {\n    name: 'a'\n    srclayers: 'x'\n"
      "    srclayers: 'y'\n    param { init { std: 1 } }\n  }\n  layer { name: 'odd.n]ame\tx' "
      "type: kReLU }\n  layer { name: '' type: kReLU }\n}";
};

TEST_F(LocateTest, FindsFieldsOfLayers) {
  EXPECT_EQ(Locate("neuralnet.layer[a#1].param[0].init.std"),
            "F:7:20: error: neuralnet.layer[a#1].param[0].init.std: x\n");
  EXPECT_EQ(Locate("neuralnet.layer[odd.n]ame\tx].type"),
            "F:9:31: error: neuralnet.layer[odd.n]ame\\tx].type: x\n");
  EXPECT_EQ(Locate("neuralnet.layer[3].type"), "F:10:20: error: neuralnet.layer[3].type: x\n");
}

TEST_F(LocateTest, FallsBackToTheMessageAround) {
  EXPECT_EQ(Locate("neuralnet.layer[a#0].param[0].init.std"),
            "F:2:3: error: neuralnet.layer[a#0].param[0].init.std: x\n");
  EXPECT_EQ(Locate("updater.type"), "F:1:1: error: updater.type: x\n");
}

TEST_F(LocateTest, PlacesAListAtItsFirstValueAndEachValue) {
  EXPECT_EQ(Locate("neuralnet.layer[a#1].srclayers"),
            "F:5:5: error: neuralnet.layer[a#1].srclayers: x\n");
  EXPECT_EQ(Locate("neuralnet.layer[a#1].srclayers[1]"),
            "F:6:5: error: neuralnet.layer[a#1].srclayers[1]: x\n");
  JobConf conf("F", "gpu: 1\ngpu: 2", {}, &job_);
  conf.Add(ConfigError("gpu[1]", "x"));
  EXPECT_EQ(Lines(conf), "F:2:1: error: gpu[1]: x\n");
}

TEST_F(JobConfTest, DropsASecondErrorOfOnePath) {
  JobConf conf("F", "gpu: 1", {}, &job_);
  conf.Add(ConfigError("gpu", "first"));
  conf.Add(ConfigError("gpu", "second"));
  EXPECT_EQ(Lines(conf), "F:1:1: error: gpu: first\n");
}

TEST_F(JobConfTest, WarningsAreNoErrors) {
  JobConf conf("F", "gpu: 1", {}, &job_);
  conf.Add(ConfigError("gpu", "w"), Diagnostic::kWarning);
  EXPECT_TRUE(conf.ok());
  EXPECT_EQ(conf.exit_code(), kExitOk);
  EXPECT_EQ(Lines(conf), "F:1:1: warning: gpu: w\n");
}

TEST_F(JobConfTest, AMistakeCountsMoreThanAMissingFile) {
  JobConf conf("F", "gpu: 1 name: 'x'", {}, &job_);
  conf.Add(ConfigError("gpu", "no file", kExitNoInput));
  EXPECT_EQ(conf.exit_code(), kExitNoInput);
  conf.Add(ConfigError("name", "mistake"));
  EXPECT_EQ(conf.exit_code(), kExitConfig);
}

TEST(Render, ShowsTheLineAndACaret) {
  JobProto job;
  EXPECT_EQ(JobConf("job.conf", "# x\n\tupdater { momentom: 3 }\r\n", {}, &job).Render(),
            "job.conf:2:12: error: updater.momentom: no such field in UpdaterProto; did you mean "
            "\"momentum\"?\n"
            "\tupdater { momentom: 3 }\n"
            "\t          ^\n");
}

TEST(ReadFile, TellsWhyNot) {
  JobProto job;
  const auto code = [&job](const std::string& file) {
    try {
      JobConf(file, {}, &job);
      return kExitOk;
    } catch (const Error& error) {
      return error.code();
    }
  };
  EXPECT_EQ(code("/no/such/file"), kExitNoInput);
  EXPECT_EQ(code("/"), kExitNoInput);
  EXPECT_EQ(code("/dev/zero"), kExitConfig);
}

// The scan must accept exactly the text that protobuf reads.
TEST(GoodConfs, AreReadAsProtobufReadsThem) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SINGA_SOURCE_DIR "/test/conf/good")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    JobProto ours, theirs;
    const JobConf conf("F", text.str(), {}, &ours);
    EXPECT_TRUE(conf.ok()) << entry.path() << "\n" << conf.Render();
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text.str(), &theirs));
    EXPECT_TRUE(MessageDifferencer::Equals(ours, theirs)) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace singa
