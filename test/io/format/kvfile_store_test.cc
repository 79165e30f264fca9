#include "io/format/kvfile_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::unique_ptr<Store> OpenRecords(const std::string& path) {
  return OpenStore("kvfile", {.path = path});
}

TEST(KvFileStore, ReadsRecordsInAnyOrder) {
  TempDir dir;
  const std::string path =
      dir.Write("a", Tuple("0", Pixels(3, "\x01\xff", {1, 2})) +
                         Tuple("1", Pixels(-1, "\x02\x03")) + Tuple("", Floats({0.5f, -2})));
  const auto store = OpenRecords(path);
  ASSERT_EQ(store->size(), 3);
  EXPECT_EQ(store->Read(2).data[1], -2);
  const Sample& first = store->Read(0);
  EXPECT_EQ(first.label, 3);
  EXPECT_EQ(first.pixel[1], 255);
  EXPECT_EQ(first.shape[1], 2);
  EXPECT_FALSE(store->Read(1).has_label());
}

TEST(KvFileStore, NamesFileRecordAndPlaceOfANumberThatIsNotFinite) {
  TempDir dir;
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<float, std::string>> numbers = {{std::nanf(""), "number 20 is nan"},
                                                              {-std::nanf("1"), "number 20 is nan"},
                                                              {inf, "number 20 is inf"},
                                                              {-inf, "number 20 is -inf"}};
  for (const auto& [number, place] : numbers) {
    std::vector<float> row(21, std::numeric_limits<float>::max());
    const std::string good = Floats(row);
    row[19] = number;
    const std::string path = dir.Write("a", Tuple("0", good) + Tuple("1", Floats(row)));
    const auto store = OpenRecords(path);
    EXPECT_EQ(store->Read(0).size(), 21);
    EXPECT_ERROR(store->Read(1), kExitBadData, path, "record 1", place);
  }
}

TEST(KvFileStore, UsesWhatIsWholeOfAFileCutAnywhere) {
  TempDir dir;
  const std::string one = Tuple("00000000", Pixels(1, "abcd"));
  const std::string bytes = one + Tuple("00000001", Pixels(2, "efgh"));
  for (size_t n = 0; n < bytes.size(); ++n) {
    const std::string path = dir.Write("a", bytes.substr(0, n));
    if (n < one.size()) {
      EXPECT_ERROR(OpenRecords(path), kExitBadData, path, "no complete record");
    } else {
      EXPECT_EQ(OpenRecords(path)->size(), 1) << n;
      EXPECT_EQ(IndexKvFile(InputFile::Open(path)).tail, static_cast<int64_t>(n - one.size()));
    }
  }
}

TEST(KvFileStore, RefusesSizesThatNoTupleHas) {
  TempDir dir;
  const std::string good = Tuple("0", Pixels(1, "a"));
  EXPECT_ERROR(OpenRecords(dir.Write("a", good + Length(~uint64_t{0}) + std::string(50, 'x'))),
               kExitBadData, "record 1", "key");
  EXPECT_ERROR(OpenRecords(dir.Write("b", good + Length(1) + "k" + Length(uint64_t{1} << 63))),
               kExitBadData, "record 1", "value");
  EXPECT_ERROR(OpenRecords(dir.Write("c", Length(1) + "k" + Length(0) + good)), kExitBadData,
               "record 0", "value of 0 bytes");
}

TEST(KvFileStore, NamesFileAndRecordOfADamagedValue) {
  TempDir dir;
  const std::string path =
      dir.Write("a", Tuple("0", Pixels(1, "a")) + Tuple("1", "\x1a\x7f garbage"));
  const auto store = OpenRecords(path);
  EXPECT_EQ(store->Read(0).label, 1);
  EXPECT_ERROR(store->Read(1), kExitBadData, path + ": record 1: ", "no RecordProto");
}

TEST(KvFileStore, GivesANegativeLabel) {
  TempDir dir;
  RecordProto record;
  record.set_label(-4);
  record.set_pixel("a");
  const auto store = OpenRecords(dir.Write("a", Tuple("0", record.SerializeAsString())));
  EXPECT_EQ(store->Read(0).label, -4);
}

TEST(KvFileStore, ReadsShardDatOfAFolder) {
  TempDir dir;
  std::filesystem::create_directory(dir.Path("store"));
  dir.Write("store/shard.dat", Tuple("0", Pixels(7, "a")));
  EXPECT_EQ(OpenRecords(dir.Path("store"))->Read(0).label, 7);
}

TEST(KvFileStore, NamesTheFileThatIsMissing) {
  TempDir dir;
  EXPECT_ERROR(OpenRecords(dir.Path("none")), kExitNoInput, dir.Path("none") + ":", "No such file");
}

TEST(KvFileStore, HoldsCsvForCsvLayers) {
  TempDir dir;
  const std::string path = dir.Write("a", Tuple("0", "4,0.5,1"));
  const auto store = OpenStore("kvfile", {.path = path, .format = ValueFormat::kCsv});
  EXPECT_EQ(store->Read(0).label, 4);
  EXPECT_EQ(store->Read(0).data.size(), 2u);
}

// A scan moves its window over values that are larger and smaller than the window.
TEST(KvFileStore, IndexesValuesOfAnySize) {
  TempDir dir;
  std::string bytes;
  const std::vector<size_t> sizes = {1, 70000, 65536, 65535, 3, 200000, 65519, 1};
  for (size_t n : sizes) bytes += Tuple("key", Pixels(1, std::string(n, 'x')));
  const auto store = OpenRecords(dir.Write("a", bytes));
  ASSERT_EQ(store->size(), static_cast<int64_t>(sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i)
    EXPECT_EQ(store->Read(static_cast<int64_t>(i)).pixel.size(), sizes[i]);
}

}  // namespace
}  // namespace singa
