#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "io/image_files.h"
#include "io/lmdb_files.h"
#include "io/store/store.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

std::string Datum(const std::string& data, int label) {
  CaffeDatum datum;
  datum.set_channels(1);
  datum.set_height(1);
  datum.set_width(static_cast<int>(data.size()));
  datum.set_data(data);
  datum.set_label(label);
  return datum.SerializeAsString();
}

class LmdbStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& path) { return OpenStore("lmdb", {.path = path}); }
  std::string Lmdb(const Pairs& pairs, bool one_by_one = false) {
    WriteLmdb(dir_.Path("data.mdb"), pairs, one_by_one);
    return dir_.Path("data.mdb");
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
