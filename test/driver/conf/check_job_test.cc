// Tests the check of a whole job: phases, files, stores, and settings that the net decides.
// ../bad_conf_test.cc has a file for each mistake.
#include "driver/conf/check_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "singa/base/str_cat.h"

namespace singa::check_job {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kData[] = R"(layer { name: "data" type: kRecordInput store_conf {
    backend: "synthetic" batchsize: 6 shape: 5 synthetic_conf { records: 70 classes: 3 } } })";
constexpr char kTop[] = R"(
  layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 }
          param { name: "w" init { type: kConstant } } param { name: "b" init { type: kConstant } } }
  layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" })";

// Returns a job with these layers between the data and the top.
std::string JobText(const std::string& settings, const std::string& layers = "",
                    const std::string& data = kData) {
  return StrCat(
      "name: 'c' train_steps: 10 train_one_batch { alg: kBP } "
      "updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }\n",
      settings, "\nneuralnet {", data, layers, kTop, "}\n");
}

std::string Found(const std::string& text, const CheckOptions& options = {}) {
  return CheckJobText("F", text, {}, options)->conf.Render();
}

TEST(CheckJobText, ASoundJobDrawsNothing) { EXPECT_EQ(Found(JobText("")), ""); }

TEST(CheckJobText, APhaseThatAFieldAsksForHasLayers) {
  const std::string text =
      "test_steps: 1 train_one_batch { alg: kBP } neuralnet { layer { name: "
      "'data' type: kDummy include: kTrain dummy_conf { input: true shape: 1 "
      "shape: 2 } } }";
  EXPECT_THAT(Found(text, {.use = JobUse::kTest}),
              HasSubstr("neuralnet: no layer is in the phase kTest; test_steps asks for that "
                        "phase\n"));
}

TEST(CheckJobText, AMistakeOfTheWholeNetIsNotReportedInEachLayer) {
  const std::string found = Found(JobText("", "unroll_len: 0 layer { name: 'x' type: kReLU }"));
  EXPECT_THAT(found, HasSubstr("neuralnet.unroll_len: must be from 1 to 100000, is 0"));
  EXPECT_THAT(found, Not(HasSubstr("layer[x]")));
}

TEST(CheckJobText, TwoLayersThatWriteOneFileAreAMistakeOfTheSecond) {
  const auto found = [](const std::string& file) {
    return Found(JobText("", StrCat("layer { name: 'one' type: kCSVOutput srclayers: 'data' "
                                    "store_conf { path: 'out/x' } }\n"
                                    "layer { name: 'two' type: kCSVOutput srclayers: 'data' "
                                    "store_conf { path: '",
                                    file, "' } }")));
  };
  EXPECT_EQ(found("out/y"), "");
  EXPECT_THAT(found("out/../out/x"),
              HasSubstr("error: neuralnet.layer[two].store_conf.path: layer \"one\" writes to this "
                        "file, too\n"));
}

TEST(CheckJobText, ContrastiveDivergenceIsForNetsThatReadThemselves) {
  const std::string found = Found(
      "train_steps: 1 train_one_batch { alg: kCD } updater { type: kSGD learning_rate { type: "
      "kFixed base_lr: 1 } } neuralnet {" +
      std::string(kData) + kTop + "}");
  EXPECT_THAT(found, HasSubstr("error: train_one_batch.alg: kCD trains a kRBMVis and a kRBMHid; "
                               "the net has none\n"));
}

TEST(CheckJobText, ParamsThatALayerDoesNotHave) {
  EXPECT_THAT(Found(JobText("",
                            "layer { name: 'relu' type: kReLU srclayers: 'data' "
                            "param {} }")),
              HasSubstr("warning: neuralnet.layer[relu].param[0]: has no effect: the layer has 0 "
                        "params\n"));
}

TEST(CheckJobText, TheBestCheckpointIsByAMetricOfAnEvaluation) {
  const auto found = [](const std::string& settings) {
    return Found(JobText("checkpoint_best: " + settings));
  };
  EXPECT_EQ(found("'accuracy' test_freq: 5"), "");
  EXPECT_THAT(found("'acuracy' test_freq: 5"),
              HasSubstr("error: checkpoint_best: no layer has the metric \"acuracy\"; did you mean "
                        "\"accuracy\"?\n"));
  EXPECT_THAT(found("'accuracy'"),
              HasSubstr("warning: checkpoint_best: has no effect: the job runs "
                        "no validation and no test\n"));
}

TEST(CheckJobText, AMetricOfAnotherPhaseIsNoBest) {
  const std::string text =
      JobText("checkpoint_best: 'squared_error' validate_freq: 5",
              "layer { name: 'far' type: kEuclideanLoss include: kTrain srclayers: 'data' "
              "srclayers: 'data' }");
  const std::string found = Found(text);
  EXPECT_THAT(found, HasSubstr("error: checkpoint_best: no layer"));
}

// A plan has workers of its own, and tries all ways to send gradients.
TEST(CheckJobText, AJobForOtherWorkersIsNotWarnedOfItsOwn) {
  const std::string text =
      JobText("cluster { sync_freq: 10 all_reduce { fusion_elements: 1000 sparsity: 0.01 } }");
  for (const char* field :
       {"cluster.sync_freq", "cluster.all_reduce.fusion_elements", "cluster.all_reduce.sparsity"})
    EXPECT_THAT(Found(text), HasSubstr(StrCat("warning: ", field, ": ")));
  EXPECT_EQ(Found(text, {.elsewhere = true}), "");
  EXPECT_THAT(Found(JobText("cluster { sync_freq: 0 }"), {.elsewhere = true}),
              HasSubstr("error: cluster.sync_freq: must be"));
}

TEST(CheckJobText, AResumedJobNeedsNoFirstValues) {
  const std::string text = JobText("checkpoint_path: '/none/model.safetensors'");
  EXPECT_THAT(Found(text, {.files = true}), HasSubstr("checkpoint_path"));
  EXPECT_EQ(Found(text, {.files = true, .resumes = true}), "");
}

class CheckJobFile : public testing::Test {
 protected:
  // Writes a job on records with these labels. Returns its path.
  std::string Write(const std::string& labels, const std::string& settings = "") {
    std::string lines;
    for (const char label : labels) lines += StrCat(std::string(1, label), ",1,2\n");
    return dir_.Write(
        "job.conf",
        JobText(settings, "",
                StrCat("layer { name: 'data' type: kCSVInput store_conf { path: '",
                       dir_.Write("records.csv", lines), "' batchsize: 2 shape: 2 } }")));
  }
  // Returns what WithJob prints.
  std::string Printed(const std::string& file, const CheckOptions& options,
                      const std::function<int(const JobProto&)>& use, int code) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(WithJob(file, {}, options, use), code);
    return testing::internal::GetCapturedStderr();
  }
  static int Use(const JobProto& job) { return job.name() == "c" ? 7 : 8; }

  TempDir dir_;
};

TEST_F(CheckJobFile, SmallStoresAreComparedWithTheNet) {
  const auto checked = CheckJob(Write("013"), {}, {.stores = true});
  EXPECT_THAT(checked->conf.Render(),
              HasSubstr("records.csv: record 2: the label is 3, layer \"loss\" allows 0 to 2\n"));
  EXPECT_EQ(checked->conf.exit_code(), kExitBadData);
  EXPECT_EQ(CheckJob(Write("012"), {}, {.stores = true})->conf.Render(), "");
  EXPECT_EQ(CheckJob(Write("013"), {})->conf.Render(), "");
}

TEST_F(CheckJobFile, AFileThatIsNotThereIsNoJob) {
  EXPECT_ERROR(CheckJob(dir_.Path("none"), {}), kExitNoInput, "none: No such file");
}

TEST_F(CheckJobFile, IsUsedIfItIsSound) { EXPECT_EQ(Printed(Write("01"), {}, Use, 7), ""); }

TEST_F(CheckJobFile, WarnsUnlessItShallBeQuiet) {
  const std::string file = Write("01", "validate_steps: 3");
  EXPECT_THAT(Printed(file, {}, Use, 7), HasSubstr("warning: validate_steps: has no effect"));
  EXPECT_EQ(Printed(file, {.quiet = true}, Use, 7), "");
}

TEST_F(CheckJobFile, IsNotUsedIfItHasMistakes) {
  const std::string file = Write("01", "seed: 'x'");
  const auto never = [](const JobProto&) -> int { throw std::runtime_error("it was used"); };
  EXPECT_THAT(Printed(file, {.quiet = true}, never, kExitConfig),
              HasSubstr("error: seed: must be"));
}

TEST_F(CheckJobFile, ShowsAMistakeThatItsUseFindsAtItsPlace) {
  const std::string file = Write("01", "disp_freq: 3");
  const auto fail = [](const JobProto&) -> int {
    throw ConfigError("disp_freq", "is not to my liking", kExitDiverged);
  };
  EXPECT_EQ(Printed(file, {}, fail, kExitDiverged),
            file + ":2:1: error: disp_freq: is not to my liking\ndisp_freq: 3\n^\n");
}

TEST_F(CheckJobFile, ShowsAnErrorOfAFileWhereTheJobNamesTheFile) {
  const std::string file = Write("01");
  const auto fail = [this](const JobProto&) -> int {
    throw DataError(dir_.Path("records.csv"), 1, "is damaged");
  };
  EXPECT_THROW(WithJob(file, {}, {}, fail), DataError);
  EXPECT_THAT(Printed(file, {.places = true}, fail, kExitBadData),
              HasSubstr("error: neuralnet.layer[data].store_conf.path: " +
                        dir_.Path("records.csv") + ": record 1: is damaged\n"));
}

TEST_F(CheckJobFile, HandsOnAnErrorOfNoFileOfTheJob) {
  const auto fail = [](const JobProto&) -> int { throw DataError("/other", -1, "is damaged"); };
  EXPECT_THROW(WithJob(Write("01"), {}, {.places = true}, fail), DataError);
}

}  // namespace
}  // namespace singa::check_job
