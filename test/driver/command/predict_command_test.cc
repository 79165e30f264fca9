// Tests the command around a predictor: its words, and what it loads.
#include "driver/command/predict_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "support/driver/captured_command.h"
#include "support/driver/small_job.h"

namespace singa::predict_command {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

// The net gives a record's first two numbers as scores.
class PredictCommandTest : public testing::Test {
 protected:
  PredictCommandTest() {
    const std::vector<float> w = {255, 0, 0, 0, 0, 255, 0, 0}, b = {0, 0};
    WriteTensors(params_, {Stored("w", {2, 4}, w.data()), Stored("b", {2}, b.data())});
  }
  CapturedCommand Predict(const Words& words) const {
    Words all = {"-conf", conf_, "-checkpoint", params_};
    all.insert(all.end(), words.begin(), words.end());
    return CapturedCommand([&] { return PredictCommand(all); });
  }

  const TempDir dir_;
  const std::string params_ = dir_.Path("params.safetensors");
  const std::string conf_ =
      dir_.Write("job.conf", SmallJob(dir_.Path("ws"), "train_steps: 1").DebugString());
  const std::string records_ = dir_.Write("records.csv", "0,3,1,9,9\n0,2,4,9,9\n1,1,6,9,9\n");
};

TEST_F(PredictCommandTest, PrintsTheScoresOfALayer) {
  const CapturedCommand run = Predict({"-layer", "fc", records_});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("record,label,0,1\n"));
  EXPECT_THAT(run.out, HasSubstr(",0,3,1\n"));
  EXPECT_THAT(run.out, HasSubstr(",0,2,4\n"));
  EXPECT_THAT(run.out, HasSubstr(",1,1,6\n"));
  EXPECT_THAT(run.err, HasSubstr("accuracy 0.6667, of 3 records with a label"));
}

TEST_F(PredictCommandTest, PrintsTheBestInJson) {
  const CapturedCommand run = Predict({"-layer", "fc", "-format", "json", "-topk", "1",
                                       "-no_labels", dir_.Write("unlabelled.csv", "1,6,9,9\n")});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"top\":[{\"class\":1,\"score\":6}]}\n"));
  EXPECT_EQ(run.out.find("\"label\""), std::string::npos) << run.out;
}

TEST_F(PredictCommandTest, PrintsTheTextOfAColumnAsTheId) {
  const CapturedCommand run = Predict({"-layer", "fc", "-id", "2", records_});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("record,id,label,0,1\n"));
  EXPECT_THAT(run.out, HasSubstr(":1,2,0,2,4\n"));
  const CapturedCommand named = Predict({"-id", "customer", records_});
  EXPECT_EQ(named.code, kExitUsage);
  EXPECT_THAT(named.err, HasSubstr("-id must be a number from 1 if there is no header"));
}

TEST_F(PredictCommandTest, OnlyPredictionsOfTablesHaveIds) {
  EXPECT_EQ(Predict({"-id=", records_}).code, kExitUsage);
  EXPECT_EQ(Predict({"-id", "1", "-report", records_}).code, kExitUsage);
  EXPECT_EQ(Predict({"-id", "1", "-serve"}).code, kExitUsage);
  EXPECT_EQ(Predict({"-id", "1", "-generate", "3"}).code, kExitUsage);
}

TEST_F(PredictCommandTest, PrintsAReportInPlaceOfThePredictions) {
  const CapturedCommand text = Predict({"-report", records_});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_EQ(text.out.rfind("records            3\naccuracy           0.6667\n", 0), 0u) << text.out;
  EXPECT_EQ(text.err.find("accuracy"), std::string::npos) << text.err;
  const CapturedCommand json = Predict({"-report", "-format", "json", "-worst", "1", records_});
  EXPECT_EQ(json.code, kExitOk) << json.err;
  EXPECT_THAT(json.out, HasSubstr("\"worst\":[{\"record\":\"" + records_ + ":1\","));
  EXPECT_THAT(json.out, HasSubstr("\"confusion\":[[1,1],[0,1]]}\n"));
}

TEST_F(PredictCommandTest, AReportWithoutLabelsIsAnError) {
  const std::string input = dir_.Write("unlabelled.csv", "1,6,9,9\n");
  const CapturedCommand run = Predict({"-report", input});
  EXPECT_EQ(run.code, kExitBadData);
  EXPECT_THAT(run.err, HasSubstr(input + ": no record has a label, which -report compares with."));
  EXPECT_EQ(run.out, "");
}

TEST_F(PredictCommandTest, SaysWhereTheValuesComeFromIfThereIsAChoice) {
  EXPECT_EQ(Predict({records_}).err.find("params from"), std::string::npos);
  const CapturedCommand run([&] {
    return PredictCommand({"-conf", conf_, "-set", "checkpoint_path=" + params_, records_});
  });
  EXPECT_EQ(run.code, kExitOk) << run.err;
}

TEST_F(PredictCommandTest, AnInputThatIsNotThereIsFoundBeforeAnyLine) {
  const CapturedCommand run = Predict({records_, "/none"});
  EXPECT_EQ(run.code, kExitNoInput);
  EXPECT_THAT(run.err, HasSubstr("/none: does not exist"));
  EXPECT_EQ(run.out, "");
}

TEST_F(PredictCommandTest, ALayerThatIsNoneIsAMistakeOfTheOption) {
  const CapturedCommand run = Predict({"-layer", "fd", records_});
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("-layer: "));
}

TEST_F(PredictCommandTest, WordsThatAreWrongAreNamed) {
  const std::pair<Words, std::string> wrong[] = {
      {{}, "INPUT is missing: singa predict -conf " + conf_ + " INPUT"},
      {{"-format", "xml", "x"}, "-format must be csv or json, is \"xml\""},
      {{"-topk", "0", "x"}, "-topk must be >= 1, is 0"},
      {{"-batch", "many", "x"}, "-batch: \"many\" is not a valid number"},
      {{"-topk", "3", records_}, "-topk must be at most 2, the outputs of layer loss, is 3"},
      {{"-from", "synthetic", "x"}, "-from: synthetic records are no INPUT"},
      {{"-from", "kvfle", "x"}, "-from: "},
      {{"-labels", "l", "x", "y"}, "-labels is of one INPUT"},
      {{"-", "-"}, "stdin can be read once"},
      {{"-generate", "0"}, "-generate must be >= 1, is 0"},
      {{"-generate", "5", "x"}, "-generate has no INPUT, is given \"x\""},
      {{"-generate", "5", "-topk", "2"}, "-generate has no -topk"},
      {{"-generate", "5", "-temperature", "0"}, "-temperature must be > 0 and finite, is 0"},
      {{"-generate", "5", "-temperature", "nan"}, "-temperature must be > 0 and finite, is nan"},
      {{"-generate", "5", "-seed", "1.5"}, "-seed: \"1.5\" is not a valid number"},
      {{"-generate", "5", "-prime="}, "-prime must have a character"},
      {{"-generate", "5"}, "-generate is for a net that reads a text (kCharRNN)"},
      {{"-seed", "5", "x"}, "-seed is for -generate"},
      {{"-generate", "5", "-report"}, "-generate has no -report"},
      {{"-worst", "3", "x"}, "-worst is for -report"},
      {{"-report", "-worst", "0", "x"}, "-worst must be >= 1, is 0"},
      {{"-report", "-format", "csv", "x"},
       "-format must be text or json for a -report, is \"csv\""},
      {{"-report", "-no_labels", "x"}, "-report compares with labels: it has no -no_labels"},
      {{"-report", "-layer", "fc", records_},
       "-report: layer \"fc\" gives scores; for their probabilities give -layer loss"}};
  for (const auto& [words, text] : wrong) {
    const CapturedCommand run = Predict(words);
    EXPECT_EQ(run.code, kExitUsage) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
  }
  const CapturedCommand run([] { return PredictCommand({"x"}); });
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("-conf is missing: singa predict -conf job.conf INPUT"));
}

TEST_F(PredictCommandTest, OfATextTakesNoFlagsOfStores) {
  const std::string vocabulary = dir_.Write("vocabulary", "abc");
  const std::string conf =
      dir_.Write("text.conf", R"(name: "m" train_one_batch { alg: kBPTT } neuralnet { unroll_len: 2
      layer { name: "text" type: kCharRNN char_rnn_conf { path: "gone" vocab_path: ")" +
                                  vocabulary + R"(" unroll_len: 2 batchsize: 6 } }
      layer { name: "x" type: kOneHot srclayers: "text" onehot_conf { vocab_size: 3 } } })");
  const auto predict = [&](Words words) {
    words.insert(words.begin(), {"-conf", conf, "-checkpoint", params_});
    words.push_back(dir_.Write("input", "ab"));
    return CapturedCommand([&] { return PredictCommand(words); });
  };
  const CapturedCommand run = predict({});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr(":0,"));
  EXPECT_THAT(predict({"-from", "idx"}).err,
              HasSubstr("-from is for stores: INPUT of a kCharRNN is a text"));
  EXPECT_EQ(predict({"-labels", "x"}).code, kExitUsage);
  EXPECT_EQ(predict({"-id", "1"}).code, kExitUsage);
}

}  // namespace
}  // namespace singa::predict_command
