// Tests which records a predictor writes and counts. prediction_writer_test tests the lines.
#include "driver/predict/predictor.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <optional>
#include <sstream>

#include "driver/predict/prediction_writer.h"
#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa::predictor {
namespace {

using Lines = std::vector<std::string>;

struct Record {
  std::vector<float> numbers;
  int32_t label = kNoLabel;
};

// GivenRecords gives records, and fails after the last one if it has an `error`.
class GivenRecords final : public RecordSource {
 public:
  explicit GivenRecords(std::vector<Record> records) : records_(std::move(records)) {}
  const Sample* Next() override {
    if (next_ == records_.size()) {
      if (error) throw DataError("r2", -1, *error);
      return nullptr;
    }
    const Record& record = records_[next_++];
    sample_ = {};
    if (as_pixels) {
      pixels_.assign(record.numbers.begin(), record.numbers.end());
      sample_.pixel = pixels_;
    } else {
      sample_.data = record.numbers;
    }
    sample_.label = record.label;
    return &sample_;
  }
  std::string Name() const override { return StrCat("r", next_ - 1); }
  std::string Where() const override { return StrCat("file:", next_, ": record ", next_ - 1); }

  std::optional<std::string> error;
  bool as_pixels = false;

 private:
  const std::vector<Record> records_;
  std::vector<uint8_t> pixels_;
  Sample sample_;
  size_t next_ = 0;
};

// The net of "fc" gives a record's two numbers as the scores of two classes. That of "table" gives
// 10, 20 or 30 for a record's index.
class PredictorTest : public testing::Test {
 protected:
  PredictorTest() {
    const std::vector<float> w = {1, 0, 0, 1}, t = {10, 20, 30};
    WriteTensors(dir_.Path("params.safetensors"),
                 {Stored("w", {2, 2}, w.data()), Stored("t", {3, 1}, t.data())});
  }
  Model Open(const std::string& layer) {
    const bool indices = layer == "table";
    const std::string layers =
        indices ? "layer { name: 'table' type: kEmbedding srclayers: 'data' param { name: 't' } "
                  "embedding_conf { vocab_size: 3 feature_dim: 1 } }"
                : StrCat("layer { name: 'fc' type: kInnerProduct srclayers: 'data' ",
                         "param { name: 'w' } innerproduct_conf { num_output: 2 ",
                         "bias_term: false } } layer { name: 'loss' type: kSoftmaxLoss ",
                         "srclayers: 'fc' srclayers: 'data' ", loss_, " }");
    const std::string conf = dir_.Write(
        "job.conf", StrCat("name: 'm' train_one_batch { alg: kBP } neuralnet { layer { ",
                           "name: 'data' type: kCSVInput store_conf { path: 'gone' batchsize: 4 ",
                           "shape: ", indices ? 1 : 2, " } } ", layers, " }"));
    return Model(conf, {.checkpoint = dir_.Path("params.safetensors"), .layer = layer});
  }
  // Returns the lines below the header, batches of `batch` records.
  Lines Predict(GivenRecords source, int64_t batch = 2, const std::string& layer = "fc") {
    const Model model = Open(layer);
    PredictionWriter writer({}, model.output_size());
    Predictor predictor(model, {.max_batch = batch}, 0, &writer);
    error_ = hits_ = diverged_ = "";
    testing::internal::CaptureStdout();
    try {
      predictor.Run(&source);
    } catch (const DataError& error) {
      error_ = error.what();
    }
    std::istringstream out(testing::internal::GetCapturedStdout());
    testing::internal::CaptureStderr();
    predictor.hits().Show("record");
    hits_ = testing::internal::GetCapturedStderr();
    try {
      writer.RequireFinite(model.layer());
    } catch (const DivergedError& error) {
      diverged_ = error.what();
    }
    Lines lines;
    for (std::string line; std::getline(out, line);)
      if (line[0] == 'r' && line.rfind("record", 0) != 0) lines.push_back(line);
    return lines;
  }

  const TempDir dir_;
  std::string loss_, error_, hits_, diverged_;
};

TEST_F(PredictorTest, WritesAllRecordsInOrderWhateverTheBatch) {
  const std::vector<Record> records = {{{1, 2}}, {{3, 4}}, {{5, 6}}, {{7, 8}}, {{9, 0}}};
  for (const int64_t batch : {1, 2, 5, 9})
    EXPECT_EQ(Predict(GivenRecords(records), batch),
              (Lines{"r0,,1,2", "r1,,3,4", "r2,,5,6", "r3,,7,8", "r4,,9,0"}))
        << batch;
}

TEST_F(PredictorTest, WithoutRecordsWritesNone) {
  EXPECT_EQ(Predict(GivenRecords({})), Lines());
  EXPECT_EQ(error_, "");
  EXPECT_EQ(hits_, "");
}

TEST_F(PredictorTest, TakesPixelsAsNumbers) {
  GivenRecords source({{{255, 0}}});
  source.as_pixels = true;
  EXPECT_EQ(Predict(std::move(source)), Lines{"r0,,255,0"});
}

TEST_F(PredictorTest, WritesTheRecordsBeforeOneThatCannotBeRead) {
  GivenRecords source({{{1, 2}}, {{3, 4}}, {{5, 6}}});
  source.error = "is damaged";
  EXPECT_EQ(Predict(std::move(source), 2).size(), 3u);
  EXPECT_NE(error_.find("is damaged"), std::string::npos) << error_;
}

TEST_F(PredictorTest, ALabelThatIsNoClassIsAnErrorAtItsPlace) {
  EXPECT_EQ(Predict(GivenRecords({{{1, 2}, 1}, {{3, 4}, 2}})), Lines{"r0,1,1,2"});
  EXPECT_EQ(error_, "file:2: record 1: the label must be below 2, the number of classes, is 2");
  EXPECT_EQ(Predict(GivenRecords({{{1, 2}, -3}})), Lines());
  EXPECT_EQ(error_, "file:1: record 0: the label must be >= 0, is -3");
}

TEST_F(PredictorTest, CountsTheHitsOfRecordsWithALabel) {
  Predict(GivenRecords({{{1, 2}, 1}, {{3, 4}, 0}, {{5, 6}}, {{7, 8}, 1}, {{9, 0}, 0}}));
  EXPECT_NE(hits_.find("accuracy 0.75"), std::string::npos) << hits_;
  EXPECT_NE(hits_.find("of 4 records with a label"), std::string::npos) << hits_;
  Predict(GivenRecords({{{1, 2}, 1}}));
  EXPECT_NE(hits_.find("of 1 record with a label"), std::string::npos) << hits_;
}

TEST_F(PredictorTest, ALabelThatTheLossIgnoresCountsNoHit) {
  loss_ = "softmaxloss_conf { ignore_label: -7 }";
  EXPECT_EQ(Predict(GivenRecords({{{1, 2}, -7}, {{3, 4}, 1}, {{5, 6}, 0}})).size(), 3u);
  EXPECT_EQ(error_, "");
  EXPECT_NE(hits_.find("of 2 records with a label"), std::string::npos) << hits_;
}

TEST_F(PredictorTest, AnIndexThatTheNetDoesNotAllowNamesItsRecord) {
  const std::vector<Record> records = {{{0}}, {{2}}, {{3}}, {{0}}};
  for (const int64_t batch : {1, 2, 4}) {
    EXPECT_EQ(Predict(GivenRecords(records), batch, "table"), (Lines{"r0,,10", "r1,,30"})) << batch;
    EXPECT_EQ(error_.rfind("record r2: ", 0), 0u) << error_;
  }
}

TEST_F(PredictorTest, ScoresThatAreNotFiniteAreWrittenAndTold) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Predict(GivenRecords({{{1, 2}}, {{none, 2}}, {{3, 4}}})).size(), 3u);
  EXPECT_NE(diverged_.find("fc"), std::string::npos) << diverged_;
  Predict(GivenRecords({{{1, 2}}}));
  EXPECT_EQ(diverged_, "");
}

}  // namespace
}  // namespace singa::predictor
