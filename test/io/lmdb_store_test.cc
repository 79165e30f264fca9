#include <gtest/gtest.h>
#include <lmdb.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "io/format/lmdb_index.h"
#include "io/image_files.h"
#include "io/store/store.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string Datum(const std::string& data, int label) {
  CaffeDatum datum;
  datum.set_channels(1);
  datum.set_height(1);
  datum.set_width(static_cast<int>(data.size()));
  datum.set_data(data);
  datum.set_label(label);
  return datum.SerializeAsString();
}

// Writes a database with liblmdb. `one_by_one` puts each pair into its own transaction.
void WriteLmdb(const std::string& path, const Pairs& pairs, bool one_by_one = false,
               const char* database = nullptr, unsigned flags = 0) {
  MDB_env* env = nullptr;
  ASSERT_EQ(mdb_env_create(&env), 0);
  mdb_env_set_mapsize(env, 256 << 20);
  mdb_env_set_maxdbs(env, 1);
  ASSERT_EQ(mdb_env_open(env, path.c_str(), MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0644), 0);
  MDB_txn* txn = nullptr;
  MDB_dbi dbi = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!txn) {
      ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
    }
    ASSERT_EQ(mdb_dbi_open(txn, database, flags | (database ? MDB_CREATE : 0), &dbi), 0);
    MDB_val key{pairs[i].first.size(), const_cast<char*>(pairs[i].first.data())};
    MDB_val value{pairs[i].second.size(), const_cast<char*>(pairs[i].second.data())};
    ASSERT_EQ(mdb_put(txn, dbi, &key, &value, 0), 0);
    if (!one_by_one && i + 1 < pairs.size()) continue;
    ASSERT_EQ(mdb_txn_commit(txn), 0);
    txn = nullptr;
  }
  mdb_env_close(env);
}

class LmdbStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& path) { return OpenStore("lmdb", {.path = path}); }
  std::string Lmdb(const Pairs& pairs, bool one_by_one = false) {
    WriteLmdb(dir_.Path("data.mdb"), pairs, one_by_one);
    return dir_.Path("data.mdb");
  }
  // Copies the file with one changed number, in its newest settings or in a page. Returns the
  // copy's path.
  template <typename T>
  std::string Changed(const std::string& path, int64_t page, int64_t offset, T number) {
    std::string bytes = TempDir::Read(path);
    std::memcpy(bytes.data() + 4096 * page + offset, &number, sizeof number);
    return dir_.Write("changed", bytes);
  }

  TempDir dir_;
  const Pairs three_ = {{"00000000", Datum("ab", 3)},
                        {"00000001", Datum(std::string(5000, 'x'), 2)},
                        {"00000002", Datum("e", 0)}};
};

TEST_F(LmdbStoreTest, ReadsAFolderAndItsFile) {
  const std::string file = Lmdb(three_);
  for (const std::string& path : {file, dir_.Path("")}) {
    const auto store = Open(path);
    ASSERT_EQ(store->size(), 3);
    const Sample& last = store->Read(2);
    EXPECT_EQ(last.label, 0);
    EXPECT_EQ(last.pixel[0], 'e');
    const Sample& large = store->Read(1);
    EXPECT_EQ(std::string(large.pixel.begin(), large.pixel.end()), std::string(5000, 'x'));
    EXPECT_EQ(std::vector<int>(large.shape.begin(), large.shape.end()),
              (std::vector<int>{1, 1, 5000}));
    EXPECT_EQ(store->Read(0).label, 3);
  }
}

TEST_F(LmdbStoreTest, LeavesTheFolderAsItIs) {
  Lmdb(three_);
  const std::string before = TempDir::Read(dir_.Path("data.mdb"));
  Open(dir_.Path(""))->Read(0);
  EXPECT_EQ(TempDir::Read(dir_.Path("data.mdb")), before);
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("lock.mdb")));
}

// Keys are written in another order than they are read. Pages are renewed, freed and used again.
TEST_F(LmdbStoreTest, HasTheOrderOfKeysInADeepTree) {
  constexpr int kRecords = 3000, kStep = 1009;  // coprime
  Pairs pairs;
  for (int i = 0; i < kRecords; ++i) {
    const int record = i * kStep % kRecords;
    const std::string key = StrCat(100000 + record, std::string(300, '_'));
    pairs.emplace_back(key,
                       Datum(std::string(1 + record % 7000, static_cast<char>(record)), record));
  }
  const auto store = Open(Lmdb(pairs, true));
  ASSERT_EQ(store->size(), kRecords);
  for (int i = 0; i < kRecords; ++i) {
    const Sample& sample = store->Read(i);
    ASSERT_EQ(sample.label, i);
    ASSERT_EQ(sample.size(), 1 + i % 7000);
    ASSERT_EQ(sample.pixel[0], static_cast<uint8_t>(i));
  }
}

TEST_F(LmdbStoreTest, RefusesFloatsThatAreNotFinite) {
  CaffeDatum floats;
  floats.add_float_data(0.5f);
  const std::string good = floats.SerializeAsString();
  floats.add_float_data(std::nanf(""));
  const std::string path = Lmdb({{"a", good}, {"b", floats.SerializeAsString()}});
  EXPECT_ERROR(Open(path)->Read(1), kExitBadData, path, "record 1", "number 2 is nan");
}

TEST_F(LmdbStoreTest, ReadsFloatsAndPicturesAndDatumsWithoutALabel) {
  CaffeDatum floats, picture;
  floats.add_float_data(0.5f);
  floats.add_float_data(-2);
  picture.set_data(Png(3, 2, {1, 2, 3}));
  picture.set_encoded(true);
  picture.set_label(5);
  const std::string path =
      Lmdb({{"a", floats.SerializeAsString()}, {"b", picture.SerializeAsString()}});
  const auto store = Open(path);
  const Sample& first = store->Read(0);
  EXPECT_EQ(std::vector<float>(first.data.begin(), first.data.end()),
            (std::vector<float>{0.5f, -2}));
  EXPECT_FALSE(first.has_label());
  EXPECT_TRUE(first.shape.empty());
  const Sample& second = store->Read(1);
  EXPECT_EQ(second.label, 5);
  EXPECT_EQ(std::vector<int>(second.shape.begin(), second.shape.end()),
            (std::vector<int>{3, 2, 3}));
  EXPECT_EQ(second.pixel[0], 1);
  const auto grey = OpenStore("lmdb", {.path = path, .channels = 1});
  EXPECT_EQ(grey->Read(1).size(), 6);
}

TEST_F(LmdbStoreTest, GivesANegativeLabel) {
  const auto store = Open(Lmdb({{"a", Datum("x", -1)}, {"b", Datum("x", 1)}}));
  EXPECT_EQ(store->Read(0).label, -1);
  EXPECT_TRUE(store->Read(0).has_label());
}

TEST_F(LmdbStoreTest, NamesTheRecordThatIsNone) {
  const auto store = Open(Lmdb({{"a", "\xff\xff"}, {"b", Datum("x", 2)}, {"c", Datum("x", 1)}}));
  EXPECT_ERROR(store->Read(0), kExitBadData, "data.mdb: record 0", "no Datum");
  EXPECT_EQ(store->Read(2).label, 1);
}

TEST_F(LmdbStoreTest, RefusesWhatIsNoDatabaseOfRecords) {
  EXPECT_ERROR(Open(dir_.Path("none")), kExitNoInput);
  EXPECT_ERROR(Open(dir_.Path("")), kExitNoInput, "data.mdb");
  EXPECT_ERROR(Open(dir_.Write("a", "short")), kExitBadData, "5 bytes");
  EXPECT_ERROR(Open(dir_.Write("b", std::string(9000, 'x'))), kExitBadData, "no magic number");
  WriteLmdb(dir_.Path("named"), three_, false, "name");
  EXPECT_ERROR(Open(dir_.Path("named")), kExitBadData, "named databases");
  WriteLmdb(dir_.Path("several"), {{"a", "x"}, {"a", "y"}}, false, nullptr,
            MDB_DUPSORT | MDB_CREATE);
  EXPECT_ERROR(Open(dir_.Path("several")), kExitBadData, "several values");
}

TEST_F(LmdbStoreTest, RefusesSettingsThatCannotBe) {
  const std::string path = Lmdb(three_);  // one transaction: page 1 has the newest settings
  EXPECT_ERROR(Open(Changed<uint32_t>(path, 1, 16, 1)), kExitBadData, "magic");
  EXPECT_ERROR(Open(Changed<uint32_t>(path, 1, 20, 999)), kExitBadData, "format 999");
  EXPECT_ERROR(Open(Changed<uint32_t>(path, 0, 40, 1000)), kExitBadData, "pages of 1000 bytes");
  EXPECT_ERROR(Open(Changed<uint32_t>(path, 1, 40, 8192)), kExitBadData, "pages of 4096");
  EXPECT_ERROR(Open(Changed<uint16_t>(path, 1, 94, 0)), kExitBadData, "depth 0");
  EXPECT_ERROR(Open(Changed<uint16_t>(path, 1, 94, 33)), kExitBadData, "depth 33");
  EXPECT_ERROR(Open(Changed<uint16_t>(path, 1, 94, 2)), kExitBadData, "is no branch");
  EXPECT_ERROR(Open(Changed<uint64_t>(path, 1, 120, 0)), kExitBadData, "holds no record");
  EXPECT_ERROR(Open(Changed<uint64_t>(path, 1, 120, 4)), kExitBadData, "holds 3 records");
  EXPECT_ERROR(Open(Changed<uint64_t>(path, 1, 128, UINT64_MAX)), kExitBadData, "beyond the end");
}

TEST_F(LmdbStoreTest, RefusesPagesThatCannotBe) {
  const std::string path = Lmdb(three_);
  const int64_t leaf = 2 + (TempDir::Read(path)[2 * 4096 + 10] == 4 ? 2 : 0);
  ASSERT_EQ(TempDir::Read(path)[leaf * 4096 + 10], 2);
  EXPECT_ERROR(Open(Changed<uint64_t>(path, leaf, 0, 7)), kExitBadData, "has the number 7");
  EXPECT_ERROR(Open(Changed<uint16_t>(path, leaf, 10, 4)), kExitBadData, "is no leaf");
  EXPECT_ERROR(Open(Changed<uint16_t>(path, leaf, 12, 5000)), kExitBadData, "5000 bytes");
  EXPECT_ERROR(Open(Changed<uint16_t>(path, leaf, 12, 17)), kExitBadData, "17 bytes");
  EXPECT_ERROR(Open(Changed<uint16_t>(path, leaf, 16, 4090)), kExitBadData, "at its byte 4090");
  EXPECT_ERROR(Open(Changed<uint16_t>(path, leaf, 16, 18)), kExitBadData, "at its byte 18");
  uint16_t node;
  std::memcpy(&node, TempDir::Read(path).data() + leaf * 4096 + 16, sizeof node);
  EXPECT_ERROR(Open(Changed<uint16_t>(path, leaf, node + 6, 60000)), kExitBadData, "leads out");
  EXPECT_ERROR(Open(Changed<uint32_t>(path, leaf, node, 0)), kExitBadData, "value of 0 bytes");
  EXPECT_ERROR(Open(Changed<uint32_t>(path, leaf, node, 4000)), kExitBadData, "leads out");
}

TEST_F(LmdbStoreTest, RefusesAPageThatIsThereTwice) {
  Pairs pairs;
  for (int i = 0; i < 100; ++i) pairs.emplace_back(StrCat(100 + i), Datum(std::string(99, 'x'), i));
  const std::string path = Lmdb(pairs);
  const std::string bytes = TempDir::Read(path);
  int64_t root;
  std::memcpy(&root, bytes.data() + 4096 + 128, sizeof root);
  ASSERT_EQ(bytes[root * 4096 + 10], 1);  // a branch
  uint16_t node;
  std::memcpy(&node, bytes.data() + root * 4096 + 16, sizeof node);
  EXPECT_ERROR(Open(Changed<uint16_t>(path, root, 18, node)), kExitBadData, "is there twice");
}

TEST_F(LmdbStoreTest, EveryTruncationIsRefused) {
  const std::string path = Lmdb(three_), bytes = TempDir::Read(path);
  int64_t end = 0;  // only the rest of a page follows it
  for (const ValuePlace& value : IndexLmdb(OpenLmdbFile(path)))
    end = std::max(end, value.offset + value.size);
  for (int64_t size = 0; size < end; size += 500)
    EXPECT_ERROR(Open(dir_.Write("cut", bytes.substr(0, size))), kExitBadData, "cut");
  EXPECT_ERROR(Open(dir_.Write("cut", bytes.substr(0, end - 1))), kExitBadData, "cut off?");
}

TEST_F(LmdbStoreTest, AFileThatShrinksUnderTheReaderIsAnError) {
  const std::string path = Lmdb(three_);
  const auto store = Open(path);
  std::filesystem::resize_file(path, 8192);
  EXPECT_ERROR(store->Read(1), kExitIo, "shorter");
}

// Returns a colour picture, raw or as a file.
std::string ColourDatum(bool encoded) {
  CaffeDatum datum;
  datum.set_channels(3);
  datum.set_height(1);
  datum.set_width(2);
  datum.set_data(encoded ? Png(2, 1, {9, 8, 7}) : std::string("bbggrr"));
  datum.set_encoded(encoded);
  datum.set_label(1);
  return datum.SerializeAsString();
}

TEST_F(LmdbStoreTest, RawDatumsAmongImageFilesAreBadUnlessTheirOrderIsStated) {
  for (const bool first : {true, false}) {
    const std::string file = Lmdb({{"0", ColourDatum(first)}, {"1", ColourDatum(!first)}});
    const auto store = Open(file);
    store->Read(0);
    EXPECT_ERROR(store->Read(1), kExitBadData, "record 1", "colour_order must say");
    for (const ColourOrder order : {ColourOrder::kRedFirst, ColourOrder::kBlueFirst})
      EXPECT_EQ(OpenStore("lmdb", {.path = file, .colours = order})->Read(1).decoded, !first);
    EXPECT_NO_THROW(OpenStore("lmdb", {.path = file, .channels = 1})->Read(1));
    std::filesystem::remove(file);
  }
}

TEST_F(LmdbStoreTest, TurnsRoundRawDatumsThatHaveBlueFirst) {
  const std::string file = Lmdb({{"0", ColourDatum(false)}, {"1", ColourDatum(true)}});
  const auto store = OpenStore("lmdb", {.path = file, .colours = ColourOrder::kBlueFirst});
  const auto pixels = [&](int64_t i) {
    const Sample& sample = store->Read(i);
    return std::string(sample.pixel.begin(), sample.pixel.end());
  };
  EXPECT_EQ(pixels(0), "rrggbb");
  EXPECT_EQ(pixels(1), "\x09\x09\x08\x08\x07\x07");
}

TEST_F(LmdbStoreTest, KnowsTheRangeOfItsLabels) {
  Pairs pairs = three_;
  pairs.emplace_back("00000003", Datum("f", -4));
  const LabelRange labels = Open(Lmdb(pairs))->Labels();
  EXPECT_EQ(labels.greatest, 3);
  EXPECT_EQ(labels.of_greatest, 0);
  EXPECT_EQ(labels.least, -4);
  EXPECT_EQ(labels.of_least, 3);
}

TEST_F(LmdbStoreTest, ARecordWithoutALabelOrThatIsDamagedHasNoPartInTheRange) {
  CaffeDatum bare;
  bare.set_data("ab");
  const std::string whole = Datum("ab", 9);
  const LabelRange none =
      Open(Lmdb({{"0", bare.SerializeAsString()}, {"1", whole.substr(0, whole.size() - 1)}}))
          ->Labels();
  EXPECT_EQ(none.of_least, -1);
  EXPECT_EQ(none.of_greatest, -1);
}

}  // namespace
}  // namespace singa
