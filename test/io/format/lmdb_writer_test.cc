// Tests the database that the format lmdb writes. round_trip_test.cc reads its records back.
#include <gtest/gtest.h>
#include <lmdb.h>
#include <sys/stat.h>

#include "io/store/store_writer.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa::lmdb_writer {
namespace {

class LmdbWriterTest : public testing::Test {
 protected:
  std::unique_ptr<StoreWriter> New(WriterOptions options) {
    options.path = folder_;
    return NewStoreWriter("lmdb", options, &files_);
  }
  // Returns keys and values in the order of keys.
  std::vector<std::pair<std::string, CaffeDatum>> Read() const {
    std::vector<std::pair<std::string, CaffeDatum>> records;
    MDB_env* env = nullptr;
    MDB_txn* txn = nullptr;
    MDB_dbi dbi = 0;
    MDB_cursor* cursor = nullptr;
    EXPECT_EQ(mdb_env_create(&env), 0);
    EXPECT_EQ(mdb_env_open(env, folder_.c_str(), MDB_RDONLY | MDB_NOLOCK, 0644), 0);
    EXPECT_EQ(mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn), 0);
    EXPECT_EQ(mdb_dbi_open(txn, nullptr, 0, &dbi), 0);
    EXPECT_EQ(mdb_cursor_open(txn, dbi, &cursor), 0);
    for (MDB_val key, value; mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0;) {
      records.emplace_back(std::string(static_cast<char*>(key.mv_data), key.mv_size), CaffeDatum());
      EXPECT_TRUE(
          records.back().second.ParseFromArray(value.mv_data, static_cast<int>(value.mv_size)));
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
    mdb_env_close(env);
    return records;
  }
  // Returns the only record that a writer with these options makes of `sample`.
  CaffeDatum Written(const WriterOptions& options, const Sample& sample) {
    const auto writer = New(options);
    writer->Write(sample);
    writer->Finish();
    const auto records = Read();
    EXPECT_EQ(records.size(), 1u);
    return records.at(0).second;
  }
  static std::vector<int> ShapeOf(const CaffeDatum& datum) {
    return {datum.channels(), datum.height(), datum.width()};
  }

  const TempDir dir_;
  const std::string folder_ = dir_.Path("set");
  const std::vector<uint8_t> pixels_ = {1, 2, 3, 4, 5, 6};
  PosixFileSystem files_;
};

TEST_F(LmdbWriterTest, KeysCountTheRecords) {
  const auto writer = New({.shape = {1, 2, 3}, .records = 3});
  for (int i = 0; i < 3; ++i) writer->Write({.pixel = pixels_, .label = 7 - i});
  writer->Finish();
  const auto records = Read();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].first, "00000000");
  EXPECT_EQ(records[2].first, "00000002");
  EXPECT_EQ(records[2].second.label(), 5);
  EXPECT_EQ(records[2].second.data(), std::string("\1\2\3\4\5\6"));
}

TEST_F(LmdbWriterTest, ShapesAreThoseOfCaffe) {
  const Sample sample = {.pixel = pixels_, .label = 0};
  EXPECT_EQ(ShapeOf(Written({.shape = {6}}, sample)), (std::vector<int>{6, 1, 1}));
  EXPECT_EQ(ShapeOf(Written({.shape = {2, 3}}, sample)), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(ShapeOf(Written({.shape = {3, 2, 1}}, sample)), (std::vector<int>{3, 2, 1}));
  EXPECT_FALSE(Written({}, sample).has_channels());
}

TEST_F(LmdbWriterTest, NumbersLabelsAndImageFilesAreMarkedAsSuch) {
  const std::vector<float> numbers = {0.5f, -1};
  const CaffeDatum floats = Written({.shape = {2}, .has_label = false}, {.data = numbers});
  EXPECT_EQ(floats.float_data_size(), 2);
  EXPECT_EQ(floats.float_data(1), -1);
  EXPECT_FALSE(floats.has_data());
  EXPECT_FALSE(floats.has_label());
  EXPECT_FALSE(floats.encoded());
  EXPECT_TRUE(Written({.encoded = true}, {.pixel = pixels_, .label = 0}).encoded());
}

// A transaction takes 64 MiB, and the database's first map has 1 MiB.
TEST_F(LmdbWriterTest, ManyRecordsTakeSeveralTransactions) {
  constexpr int64_t kRecords = (1 << 16) + 10;
  const auto writer = New({.shape = {6}, .records = kRecords});
  for (int64_t i = 0; i < kRecords; ++i)
    writer->Write({.pixel = pixels_, .label = static_cast<int32_t>(i)});
  writer->Finish();
  const auto records = Read();
  ASSERT_EQ(std::ssize(records), kRecords);
  EXPECT_EQ(records.back().second.label(), kRecords - 1);
}

TEST_F(LmdbWriterTest, AFolderThatWasThereStays) {
  std::filesystem::create_directory(folder_);
  dir_.Write("set/notes", "mine");
  New({.shape = {6}, .records = 1})->Write({.pixel = pixels_, .label = 0});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(LmdbWriterTest, AFolderThatItMadeGoesWithAnUnfinishedDatabase) {
  New({.shape = {6}, .records = 1})->Write({.pixel = pixels_, .label = 0});
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(LmdbWriterTest, ADatabaseOfBeforeIsReplacedWhenTheNewOneIsComplete) {
  Written({.shape = {6}}, {.pixel = pixels_, .label = 1});
  const auto writer = New({.shape = {6}, .records = 1});
  writer->Write({.pixel = pixels_, .label = 2});
  EXPECT_EQ(Read().at(0).second.label(), 1);
  writer->Finish();
  EXPECT_EQ(Read().at(0).second.label(), 2);
}

TEST_F(LmdbWriterTest, AFileInThePlaceOfTheFolderIsAnError) {
  dir_.Write("set", "a file");
  EXPECT_THROW(New({.shape = {6}, .records = 1}), FileError);
  EXPECT_EQ(TempDir::Read(folder_), "a file");
}

TEST_F(LmdbWriterTest, RecordsThatDoNotFitAreRefused) {
  EXPECT_ERROR(New({.shape = {1, 1, 1, 1}}), kExitConfig,
               "lmdb holds records of at most 3 sizes (channels, height, width), not of 4");
  EXPECT_ERROR(New({.shape = {6}, .records = 100'000'001}), kExitConfig,
               "lmdb holds at most 100000000 records");
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

}  // namespace
}  // namespace singa::lmdb_writer
