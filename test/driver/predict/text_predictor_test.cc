#include "driver/predict/text_predictor.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "driver/predict/prediction_writer.h"
#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "support/driver/character_job.h"
#include "support/heard_log.h"

namespace singa::text_predictor {
namespace {

using Lines = std::vector<std::string>;

// The net predicts b after a, c after b and a after c. The vocabulary has a "d", too, which the net
// does not allow.
class TextPredictorTest : public testing::Test {
 protected:
  TextPredictorTest() {
    const std::vector<float> table = {0, 50, 0, 0, 0, 50, 50, 0, 0},
                             w = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    WriteTensors(dir_.Path("params.safetensors"),
                 {Stored("t", {3, 3}, table.data()), Stored("w", {3, 3}, w.data())});
  }
  // Returns the lines for a text, which has windows of 4 characters.
  Lines Predict(const std::string& text, int64_t batch = 2, const std::string& layer = "",
                bool labels = true) {
    const Model model(conf_, {.checkpoint = dir_.Path("params.safetensors"), .layer = layer});
    PredictionWriter writer({.top = 1, .classes = {"a", "b", "c"}}, 3);
    TextPredictor predictor(model, vocabulary_, {.max_batch = batch}, labels, 1, &writer);
    testing::internal::CaptureStdout();
    error_ = "";
    try {
      predictor.Run(dir_.Write("text", text));
    } catch (const DataError& error) {
      error_ = error.what();
    }
    testing::internal::CaptureStderr();
    predictor.hits().Show("character");
    hits_ = testing::internal::GetCapturedStderr();
    Lines lines;
    std::istringstream out(testing::internal::GetCapturedStdout());
    const std::string name = dir_.Path("text") + ":";
    for (std::string line; std::getline(out, line);)
      if (line.rfind(name, 0) == 0) lines.push_back(line.substr(name.size()));
    return lines;
  }

  const TempDir dir_;
  const Vocabulary vocabulary_{dir_.Write("vocabulary", "abcd")};
  const std::string conf_ = dir_.Write(
      "job.conf",
      CharacterJob(R"(layer { name: "last" type: kInnerProduct srclayers: "table" unroll_len: 1
              unroll_conn_type: kUnrollFirstToLast param { name: "w" }
              innerproduct_conf { num_output: 3 bias_term: false } })"));
  std::string error_, hits_;
};

TEST_F(TextPredictorTest, WritesALineForEachCharacterWithTheNextOneAsItsLabel) {
  EXPECT_EQ(Predict("abcaa"), (Lines{"0,b,b,1", "1,c,c,1", "2,a,a,1", "3,a,b,1", "4,,b,1"}));
  EXPECT_EQ(error_, "");
  EXPECT_THAT(hits_, testing::HasSubstr("accuracy 0.7500, of 4 characters with a label"));
}

TEST_F(TextPredictorTest, LabelsMayBeLeftOut) {
  EXPECT_EQ(Predict("abc", 2, "", false), (Lines{"0,,b,1", "1,,c,1", "2,,a,1"}));
  EXPECT_EQ(hits_, "");
}

TEST_F(TextPredictorTest, WindowsAtATimeChangeNothing) {
  const std::string text = "abcabcabccbaabcbabcab";
  const Lines one = Predict(text, 1);
  EXPECT_EQ(one.size(), text.size());
  EXPECT_EQ(one[20], "20,,c,1");
  for (const int64_t batch : {2, 3, 9}) EXPECT_EQ(Predict(text, batch), one) << batch;
}

TEST_F(TextPredictorTest, AnEmptyTextHasNoLineButAWarning) {
  const HeardLog log;
  EXPECT_EQ(Predict(""), Lines());
  EXPECT_TRUE(log.Has("holds no record"));
}

TEST_F(TextPredictorTest, WritesWhatStandsBeforeACharacterThatTheVocabularyLacks) {
  EXPECT_EQ(Predict("abcabx"), (Lines{"0,b,b,1", "1,c,c,1", "2,a,a,1", "3,b,b,1", "4,,c,1"}));
  EXPECT_THAT(error_, testing::HasSubstr("\"x\""));
}

TEST_F(TextPredictorTest, WritesWhatStandsBeforeACharacterThatTheNetDoesNotAllow) {
  EXPECT_EQ(Predict("abcabcda"),
            (Lines{"0,b,b,1", "1,c,c,1", "2,a,a,1", "3,b,b,1", "4,c,c,1", "5,,a,1"}));
  EXPECT_THAT(error_, testing::HasSubstr(dir_.Path("text") + ": byte 6: "));
}

TEST_F(TextPredictorTest, ALayerOfOneStepHasALineForEachWholeWindow) {
  const HeardLog log;
  EXPECT_EQ(Predict("abcaabcbab", 2, "last"), (Lines{"0,,b,50", "4,,c,50"}));
  EXPECT_TRUE(log.Has("its last 2 characters are left out: layer last needs windows of 4"));
}

TEST_F(TextPredictorTest, ATextShorterThanAWindowIsLeftOut) {
  const HeardLog log;
  EXPECT_EQ(Predict("a", 2, "last"), Lines());
  EXPECT_TRUE(log.Has("its last character is left out: layer last needs windows of 4"));
}

}  // namespace
}  // namespace singa::text_predictor
