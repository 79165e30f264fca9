// Tests the batches of one decoder, and how a store judges its records. batch_reader_test and
// bad_records_test test decoders of several threads.
#include "io/reader/batch_decoder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa::batch_decoder {
namespace {

using Labels = std::vector<int32_t>;

// The stores have six records of two pixels. Record i is (i, 100 + i), with label i. The records
// of `bad` hold three pixels.
class BatchDecoderTest : public testing::Test {
 protected:
  static RowSource Source(const std::string& path, int64_t max_bad) {
    RowSource source;
    source.backend = "kvfile";
    source.store.path = path;
    source.shape = {2};
    source.max_bad = max_bad;
    return source;
  }
  std::string Write(const std::string& name, const std::set<int>& bad, bool labels = true) {
    std::string bytes;
    for (int i = 0; i < 6; ++i) {
      const std::string pixels = {static_cast<char>(i), static_cast<char>(100 + i)};
      bytes += Tuple("k", Pixels(labels ? i : -1, bad.contains(i) ? "abc" : pixels));
    }
    return dir_.Write(name, bytes);
  }
  ReaderOptions Options(const std::set<int>& bad, int64_t max_bad = 0) {
    ReaderOptions options;
    static_cast<RowSource&>(options) = Source(Write("store", bad), max_bad);
    options.batch = options.rows = 4;
    return options;
  }
  Labels Decode(BatchDecoder* decoder, int64_t position) {
    decoder->Decode(position, drop_, &batch_);
    return batch_.labels;
  }

  const TempDir dir_;
  std::atomic<bool> drop_{false};
  Batch batch_;
};

TEST_F(BatchDecoderTest, DecodesAWorkersRowsOfTheGroupsBatch) {
  ReaderOptions options = Options({});
  options.first = 1;
  options.rows = 2;
  BatchDecoder decoder(options);
  EXPECT_EQ(Decode(&decoder, 0), (Labels{1, 2}));
  EXPECT_EQ(batch_.data, (std::vector<float>{1, 101, 2, 102}));
}

TEST_F(BatchDecoderTest, ABatchRunsAcrossTheEndOfTheStore) {
  BatchDecoder decoder(Options({}));
  EXPECT_EQ(decoder.records(), 6);
  EXPECT_EQ(Decode(&decoder, 4), (Labels{4, 5, 0, 1}));
}

TEST_F(BatchDecoderTest, AWorkerWithoutRowsDecodesNone) {
  ReaderOptions options = Options({0, 1, 2, 3, 4, 5});
  options.rows = 0;
  BatchDecoder decoder(options);
  EXPECT_EQ(Decode(&decoder, 0), Labels());
}

TEST_F(BatchDecoderTest, ANewOrderCountsFromTheNextBatch) {
  BatchDecoder decoder(Options({}));
  Decode(&decoder, 0);
  OrderOptions second;
  second.group = 1;
  second.groups = 2;
  decoder.SetOrder(second);
  EXPECT_EQ(Decode(&decoder, 0), (Labels{3, 4, 5, 3}));
}

TEST_F(BatchDecoderTest, ARecordWithoutALabelHasTheLabelMinusOne) {
  ReaderOptions options = Options({});
  options.store.path = Write("unlabelled", {}, false);
  BatchDecoder unlabelled(options);
  EXPECT_EQ(Decode(&unlabelled, 0), Labels(4, -1));
  options = Options({});
  options.store.has_label = false;
  BatchDecoder unwanted(options);
  EXPECT_EQ(Decode(&unwanted, 0), Labels(4, -1));
}

TEST_F(BatchDecoderTest, ABatchThatNobodyWantsAnyMoreEndsAfterARow) {
  BatchDecoder decoder(Options({}));
  batch_.labels.assign(4, 77);
  drop_ = true;
  EXPECT_EQ(Decode(&decoder, 0), (Labels{0, 77, 77, 77}));
}

TEST_F(BatchDecoderTest, EachBatchTellsItsOwnBadRecords) {
  BatchDecoder decoder(Options({1, 5}, 3));
  EXPECT_EQ(Decode(&decoder, 0), (Labels{0, 2, 2, 3}));
  ASSERT_EQ(batch_.bad.size(), 1u);
  EXPECT_NE(batch_.bad.at(1).find("record 1: holds 3 numbers"), std::string::npos);
  EXPECT_EQ(Decode(&decoder, 2), (Labels{2, 3, 4, 0}));
  EXPECT_EQ(batch_.bad.count(1), 0u);
  EXPECT_EQ(batch_.bad.count(5), 1u);
}

TEST_F(BatchDecoderTest, ABatchEndsAtTheFirstBadRecordTooMany) {
  BatchDecoder decoder(Options({1, 2, 3}, 1));
  Decode(&decoder, 0);
  EXPECT_EQ(batch_.bad.size(), 2u);
  EXPECT_EQ(batch_.bad.count(3), 0u);
}

TEST_F(BatchDecoderTest, WithoutARecordThatAllLayersCanReadThereIsNoBatch) {
  ReaderOptions options = Options({0, 2, 4}, 6);
  options.beside = {Source(Write("beside", {1, 3, 5}), 6)};
  BatchDecoder decoder(options);
  EXPECT_ERROR(Decode(&decoder, 0), kExitBadData, options.store.path,
               "none of its 6 records can be read in all input layers; the first: ",
               "record 0: holds 3 numbers");
}

TEST_F(BatchDecoderTest, AStoreThatSkipsNothingThrowsAtItsBadRecord) {
  JudgedStore judged(Source(Write("store", {2}), 0));
  float row[2];
  int32_t label = 0;
  EXPECT_TRUE(judged.Read(1, row, &label));
  EXPECT_EQ(label, 1);
  for (int again = 0; again < 2; ++again)
    EXPECT_ERROR(judged.Read(2, row, &label), kExitBadData, "record 2: holds 3 numbers");
  EXPECT_TRUE(judged.known().empty());
}

TEST_F(BatchDecoderTest, ARecordWithAnotherNumberOfTargetsIsBad) {
  std::string bytes;
  for (int targets : {2, 1}) {
    RecordProto record;
    for (int i = 0; i < 2; ++i) record.add_data(static_cast<float>(i));
    for (int i = 0; i < targets; ++i) record.add_target(0.5f + static_cast<float>(i));
    bytes += Tuple("k", record.SerializeAsString());
  }
  RowSource source = Source(dir_.Write("targets", bytes), 0);
  source.store.targets = 2;
  JudgedStore judged(source);
  float row[2], targets[2];
  int32_t label;
  EXPECT_TRUE(judged.Read(0, row, &label, targets));
  EXPECT_EQ(targets[0], 0.5f);
  EXPECT_EQ(targets[1], 1.5f);
  EXPECT_ERROR(judged.Read(1, row, &label, targets), kExitBadData,
               "record 1: has 1 target, num_targets is 2");
}

TEST_F(BatchDecoderTest, AStoreRemembersTheBadRecordsThatItSkips) {
  JudgedStore judged(Source(Write("store", {2, 4}), 5));
  EXPECT_TRUE(judged.IsGood(1));
  EXPECT_FALSE(judged.IsGood(2));
  EXPECT_FALSE(judged.IsGood(2));
  EXPECT_EQ(judged.known().size(), 1u);
  EXPECT_EQ(judged.known().count(2), 1u);
}

TEST_F(BatchDecoderTest, ARecordThatTheStoreDoesNotHaveIsNotBad) {
  JudgedStore judged(Source(Write("store", {}), 5));
  EXPECT_TRUE(judged.IsGood(6));
  EXPECT_TRUE(judged.IsGood(1000));
}

}  // namespace
}  // namespace singa::batch_decoder
