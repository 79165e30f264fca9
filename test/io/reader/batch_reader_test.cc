#include "io/reader/batch_reader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <thread>

#include "io/read_labels.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// The store has ten records of two pixels: record i is (i, 100 + i), label i. Each test runs with
// one decoding thread, and with several.
class BatchReaderTest : public ::testing::TestWithParam<int> {
 protected:
  BatchReaderTest() {
    for (int i = 0; i < 10; ++i) bytes_ += Tuple("k", Record(i));
    options_.backend = "kvfile";
    options_.store.path = dir_.Write("store", bytes_);
    options_.shape = {2};
    options_.batch = options_.rows = 4;
    options_.order.stream = "data";
    options_.threads = GetParam();
  }

  static std::string Record(int i) {
    return Pixels(i, {static_cast<char>(i), static_cast<char>(100 + i)});
  }

  TempDir dir_;
  std::string bytes_;
  ReaderOptions options_;
};

TEST_P(BatchReaderTest, GivesBatchesThatRunAcrossEpochEnds) {
  BatchReader reader(options_);
  std::vector<float> data(8);
  std::vector<int32_t> labels(4);
  reader.Next(Context{}, data.data(), labels.data());
  EXPECT_EQ(data, (std::vector<float>{0, 100, 1, 101, 2, 102, 3, 103}));
  EXPECT_EQ(Labels(&reader, 4, 2), (std::vector<int32_t>{4, 5, 6, 7, 8, 9, 0, 1}));
  EXPECT_EQ(reader.position(), 12);
  EXPECT_EQ(reader.Records(), 10);
}

TEST_P(BatchReaderTest, TargetsAreThoseOfTheirRecords) {
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += StrCat(i, ",", -i, ",", 10 * i, ",", 20 * i, "\n");
  options_.backend = "textfile";
  options_.store = {.path = dir_.Write("lines", lines), .format = ValueFormat::kCsv};
  options_.store.targets = 2;
  options_.order.shuffle = true;
  BatchReader reader(options_);
  std::vector<float> data(8), targets(8);
  for (int batch = 0; batch < 7; ++batch) {
    reader.Next(Context{}, data.data(), nullptr, targets.data());
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(data[2 * r], 10 * targets[2 * r]);
      EXPECT_EQ(data[2 * r + 1], -20 * targets[2 * r + 1]);
    }
  }
}

TEST_P(BatchReaderTest, GivesBatchesLargerThanTheStore) {
  options_.batch = options_.rows = 23;
  BatchReader reader(options_);
  const auto labels = Labels(&reader, 23);
  for (int i = 0; i < 23; ++i) EXPECT_EQ(labels[i], i % 10);
}

TEST_P(BatchReaderTest, SeveralThreadsCopyAWholeBatchOut) {
  options_.batch = options_.rows = 60001;
  BatchReader reader(options_);
  Context ctx;
  ctx.threads = 3;
  std::vector<float> data(2 * options_.rows, -1);
  reader.Next(ctx, data.data(), nullptr);
  for (int64_t i = 0; i < options_.rows; ++i) {
    ASSERT_EQ(data[2 * i], i % 10);
    ASSERT_EQ(data[2 * i + 1], 100 + i % 10);
  }
}

TEST_P(BatchReaderTest, WorkersTogetherReadWhatOneWorkerReads) {
  ExpectTwoReadersReadAsOne(options_);
}

TEST_P(BatchReaderTest, SeeksToWhatWasConsumed) {
  options_.order.shuffle = true;
  BatchReader reader(options_);
  Labels(&reader, 4, 7);
  const int64_t position = reader.position();
  EXPECT_EQ(position, 28);
  const auto expected = Labels(&reader, 4, 9);
  BatchReader resumed(options_);
  resumed.Seek(position);
  EXPECT_EQ(Labels(&resumed, 4, 9), expected);
  reader.Seek(position);
  EXPECT_EQ(Labels(&reader, 4, 9), expected);
}

TEST_P(BatchReaderTest, SeeksAgainAndAgain) {
  BatchReader reader(options_);
  for (int i = 0; i < 500; ++i) {
    reader.Seek(i);
    ASSERT_EQ(Labels(&reader, 4)[0], i % 10);
  }
}

TEST_P(BatchReaderTest, ReadsInAnotherOrderAfterSeek) {
  options_.order.shuffle = true;
  BatchReader reader(options_);
  Labels(&reader, 4);
  reader.Seek(0, {});
  EXPECT_EQ(Labels(&reader, 4), (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST_P(BatchReaderTest, GivesTheBatchesBeforeADamagedRecord) {
  bytes_ += Tuple("k", Pixels(1, "abc"));
  options_.store.path = dir_.Write("store", bytes_);
  BatchReader reader(options_);
  EXPECT_EQ(Labels(&reader, 4, 2).back(), 7);
  for (int again = 0; again < 2; ++again)
    EXPECT_ERROR(Labels(&reader, 4), kExitBadData,
                 options_.store.path + ": record 10: ", "3 numbers", "2");
  EXPECT_EQ(reader.position(), 8);
  reader.Seek(0);
  EXPECT_EQ(Labels(&reader, 4).back(), 3);
}

TEST_P(BatchReaderTest, ThrowsWhatOpeningThrew) {
  options_.store.path = dir_.Path("none");
  BatchReader reader(options_);
  EXPECT_ERROR(Labels(&reader, 4), kExitNoInput, "none");
  EXPECT_ERROR(reader.Records(), kExitNoInput, "none");
}

TEST_P(BatchReaderTest, MayGoBeforeAnythingWasRead) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads();
  for (int i = 0; i < 50; ++i) BatchReader reader(options_);
  // The kernel shows a thread for a moment after it was joined.
  for (int i = 0; i < 6000 && threads() > before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(threads(), before);
}

TEST_P(BatchReaderTest, GivesNoLabelsWhereThereAreNone) {
  options_.store.has_label = false;
  BatchReader reader(options_);
  EXPECT_EQ(Labels(&reader, 4), (std::vector<int32_t>{-1, -1, -1, -1}));
  std::vector<float> data(8);
  reader.Next(Context{}, data.data(), nullptr);
  EXPECT_EQ(data[0], 4);
}

TEST_P(BatchReaderTest, GivesTheSameBatchesWhateverTheThreads) {
  options_.order.shuffle = true;
  BatchReader several(options_);
  options_.threads = 1;
  BatchReader one(options_);
  EXPECT_EQ(Labels(&several, 4, 300), Labels(&one, 4, 300));
}

TEST_P(BatchReaderTest, HasARoomForEachThreadAndOneMore) {
  options_.threads = 7;
  EXPECT_EQ(options_.slots(), 8);
  EXPECT_EQ(options_.ring_bytes(), 8 * 4 * (2 + 1) * 4);
  BatchReader reader(options_);
  EXPECT_EQ(Labels(&reader, 4, 20).back(), 9);
}

TEST_P(BatchReaderTest, SeeksFromWhereverItsThreadsAre) {
  BatchReader reader(options_);
  for (int i = 0; i < 200; ++i) {
    for (int batch = 0; batch < i % 4; ++batch) Labels(&reader, 4);
    reader.Seek(i);
    ASSERT_EQ(Labels(&reader, 4, 2).back(), (i + 7) % 10);
  }
}

TEST_P(BatchReaderTest, TellsHowLongItWaited) {
  BatchReader reader(options_);
  Labels(&reader, 4);
  EXPECT_GE(reader.TakeWaitMs(), 0);
  EXPECT_EQ(reader.TakeWaitMs(), 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, BatchReaderTest, ::testing::Values(1, 2, 5));

}  // namespace
}  // namespace singa
