// Tests how a reader treats records that cannot be read, with one thread and with several.

#include <filesystem>
#include <limits>
#include <set>

#include "io/read_labels.h"
#include "io/reader/batch_reader.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// The store has twelve records of two pixels. Record i has label i. The records of `bad` hold three
// pixels.
class BadRecordsTest : public ::testing::TestWithParam<int> {
 protected:
  BadRecordsTest() {
    options_.backend = "kvfile";
    options_.shape = {2};
    options_.batch = options_.rows = 4;
    options_.order.stream = "data";
    options_.threads = GetParam();
    options_.max_bad = 5;
  }

  void Write(const std::set<int>& bad) {
    std::string bytes;
    for (int i = 0; i < 12; ++i) bytes += Tuple("k", Pixels(i, bad.contains(i) ? "abc" : "ab"));
    options_.store.path = dir_.Write("store", bytes);
  }

  TempDir dir_;
  ReaderOptions options_;
};

TEST_P(BadRecordsTest, TheNextReadableRecordStandsForABadOne) {
  Write({1, 5, 6, 11});
  BatchReader reader(options_);
  EXPECT_EQ(Labels(&reader, 4, 3), (std::vector<int32_t>{0, 2, 2, 3, 4, 7, 7, 7, 8, 9, 10, 0}));
  EXPECT_EQ(reader.skipped().list(), (std::vector<int64_t>{1, 5, 6, 11}));
  EXPECT_EQ(reader.RecordOfRow(3), 0);
  EXPECT_EQ(reader.RecordOfRow(2), 10);
  EXPECT_EQ(reader.position(), 12);
}

TEST_P(BadRecordsTest, ARecordWithANumberThatIsNotFiniteIsOne) {
  std::string bytes;
  for (int i = 0; i < 12; ++i)
    bytes += Tuple("k", Floats({1, i == 5 ? std::numeric_limits<float>::quiet_NaN() : 2}));
  options_.store.path = dir_.Write("store", bytes);
  BatchReader reader(options_);
  Labels(&reader, 4, 3);
  EXPECT_EQ(reader.skipped().list(), (std::vector<int64_t>{5}));
}

TEST_P(BadRecordsTest, AreCountedWhenTheirBatchIsHandedOut) {
  Write({1, 5, 6});
  BatchReader reader(options_);
  EXPECT_TRUE(reader.skipped().list().empty());
  Labels(&reader, 4);
  EXPECT_EQ(reader.skipped().list(), (std::vector<int64_t>{1}));
  Labels(&reader, 4, 20);
  EXPECT_EQ(reader.skipped().list(), (std::vector<int64_t>{1, 5, 6}));
}

TEST_P(BadRecordsTest, AreNamedOnceOnStderr) {
  Write({1, 5});
  BatchReader reader(options_);
  ::testing::internal::CaptureStderr();
  Labels(&reader, 4, 10);
  const std::string said = ::testing::internal::GetCapturedStderr();
  const std::string first = options_.store.path + ": record 1: holds 3 numbers";
  EXPECT_NE(said.find(first), said.npos) << said;
  EXPECT_EQ(said.find(first), said.rfind(first)) << said;
  EXPECT_NE(said.find("record 5"), said.npos) << said;
}

TEST_P(BadRecordsTest, ManyAreNotAllNamed) {
  Write({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  options_.max_bad = 11;
  BatchReader reader(options_);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Labels(&reader, 4), (std::vector<int32_t>{11, 11, 11, 11}));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("record 9:"), said.npos) << said;
  EXPECT_NE(said.find("counted, not named"), said.npos) << said;
  EXPECT_EQ(reader.skipped().list().size(), 11u);
}

TEST_P(BadRecordsTest, WorkersTogetherReadWhatOneWorkerReads) {
  Write({1, 5, 6, 11});
  ExpectTwoReadersReadAsOne(options_);
}

TEST_P(BadRecordsTest, OneTooManyIsAnErrorAtItsBatch) {
  Write({1, 5, 6});
  options_.max_bad = 2;
  BatchReader reader(options_);
  Labels(&reader, 4);
  for (int again = 0; again < 2; ++again)
    EXPECT_ERROR(Labels(&reader, 4), kExitBadData, options_.store.path + ": record 6: holds 3",
                 "with it 3 records are bad; max_bad_records allows 2");
  EXPECT_EQ(reader.position(), 4);
  reader.Seek(8);
  EXPECT_EQ(Labels(&reader, 4), (std::vector<int32_t>{8, 9, 10, 11}));
}

TEST_P(BadRecordsTest, TooManyInOneBatchAreAnError) {
  Write({0, 1, 2, 3, 4, 5, 6, 7});
  BatchReader reader(options_);
  EXPECT_ERROR(Labels(&reader, 4), kExitBadData, "record 5", "with it 6 records are bad");
}

TEST_P(BadRecordsTest, AStoreWithoutAReadableRecordIsAnError) {
  Write({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  options_.max_bad = 100;
  BatchReader reader(options_);
  EXPECT_ERROR(Labels(&reader, 4), kExitBadData, "none of its 12 records can be read",
               "holds 3 numbers");
}

TEST_P(BadRecordsTest, OfAnEarlierRunAreNeitherNamedNorCountedAgain) {
  Write({1, 5, 6});
  options_.max_bad = 3;
  BatchReader reader(options_);
  reader.RestoreSkipped({1, 5});
  reader.Seek(4);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Labels(&reader, 4), (std::vector<int32_t>{4, 7, 7, 7}));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("record 5"), said.npos) << said;
  EXPECT_NE(said.find("record 6"), said.npos) << said;
  EXPECT_EQ(reader.skipped().list(), (std::vector<int64_t>{1, 5, 6}));
}

TEST_P(BadRecordsTest, AFileThatCannotBeReadIsNoBadRecord) {
  Write({});
  options_.threads = 1;  // this thread has opened the file when its records are counted
  BatchReader opened(options_);
  opened.Records();
  std::filesystem::resize_file(options_.store.path, 20);
  opened.Seek(0);
  EXPECT_ERROR(Labels(&opened, 4, 20), kExitIo, "became shorter");
}

// Returns a second store with as many records. The records of `bad` hold three numbers.
RowSource Beside(TempDir* dir, const std::set<int>& bad) {
  RowSource other;
  other.backend = "kvfile";
  other.shape = {2};
  other.max_bad = 3;
  std::string bytes;
  for (int i = 0; i < 12; ++i) bytes += Tuple("k", Pixels(i, bad.contains(i) ? "abc" : "ab"));
  other.store.path = dir->Write("beside", bytes);
  return other;
}

TEST_P(BadRecordsTest, WhatIsBadInAStoreBesideIsSkippedAndNotCounted) {
  Write({1, 5});
  options_.beside = {Beside(&dir_, {2, 11})};
  BatchReader reader(options_);
  for (int epoch = 0; epoch < 2; ++epoch)
    EXPECT_EQ(Labels(&reader, 4, 3), (std::vector<int32_t>{0, 3, 3, 3, 4, 6, 6, 7, 8, 9, 10, 0}));
  EXPECT_EQ(reader.skipped().list(), (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(reader.RecordOfRow(3), 0);
}

TEST_P(BadRecordsTest, AStoreThatMaySkipNothingFollowsOneThatDoes) {
  Write({});
  options_.max_bad = 0;
  options_.beside = {Beside(&dir_, {2})};
  BatchReader reader(options_);
  EXPECT_EQ(Labels(&reader, 4), (std::vector<int32_t>{0, 1, 3, 3}));
  Write({4});
  BatchReader fails(options_);
  Labels(&fails, 4);
  EXPECT_ERROR(Labels(&fails, 4), kExitBadData, "record 4", "holds 3 numbers");
}

INSTANTIATE_TEST_SUITE_P(Threads, BadRecordsTest, ::testing::Values(1, 3));

}  // namespace
}  // namespace singa
