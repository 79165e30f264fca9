#include "io/format/lmdb_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "io/lmdb_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class LmdbIndexTest : public ::testing::Test {
 protected:
  static std::vector<ValuePlace> Index(const std::string& path) {
    return IndexLmdb(OpenLmdbFile(path));
  }
  // Returns the values of the database at `path`.
  static std::vector<std::string> Values(const std::string& path) {
    const std::string bytes = TempDir::Read(path);
    std::vector<std::string> values;
    for (const ValuePlace& place : Index(path))
      values.push_back(bytes.substr(place.offset, place.size));
    return values;
  }
  std::string Lmdb(const Pairs& pairs) {
    WriteLmdb(dir_.Path("data.mdb"), pairs);
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
  const Pairs three_ = {{"2", "c"}, {"0", "ab"}, {"1", std::string(5000, 'x')}};
};

TEST_F(LmdbIndexTest, HasTheValuesInTheOrderOfTheirKeys) {
  EXPECT_EQ(Values(Lmdb(three_)), (std::vector<std::string>{"ab", std::string(5000, 'x'), "c"}));
}

TEST_F(LmdbIndexTest, OpensTheFileOfAFolder) {
  Lmdb(three_);
  EXPECT_EQ(Index(dir_.Path("")).size(), 3u);
}

TEST_F(LmdbIndexTest, KnowsADatabaseByItsMagicNumber) {
  EXPECT_TRUE(IsLmdb(InputFile::Open(Lmdb(three_))));
  EXPECT_FALSE(IsLmdb(InputFile::Open(dir_.Write("a", std::string(9000, 'x')))));
  EXPECT_FALSE(IsLmdb(InputFile::Open(dir_.Write("b", "short"))));
}

TEST_F(LmdbIndexTest, RefusesWhatIsNoDatabaseOfRecords) {
  EXPECT_ERROR(Index(dir_.Path("none")), kExitNoInput);
  EXPECT_ERROR(Index(dir_.Path("")), kExitNoInput, "data.mdb");
  EXPECT_ERROR(Index(dir_.Write("a", "short")), kExitBadData, "5 bytes");
  EXPECT_ERROR(Index(dir_.Write("b", std::string(9000, 'x'))), kExitBadData, "no magic number");
  WriteLmdb(dir_.Path("named"), three_, false, "name");
  EXPECT_ERROR(Index(dir_.Path("named")), kExitBadData, "named databases");
  WriteLmdb(dir_.Path("several"), {{"a", "x"}, {"a", "y"}}, false, nullptr,
            MDB_DUPSORT | MDB_CREATE);
  EXPECT_ERROR(Index(dir_.Path("several")), kExitBadData, "several values");
}

TEST_F(LmdbIndexTest, RefusesSettingsThatCannotBe) {
  const std::string path = Lmdb(three_);  // one transaction: page 1 has the newest settings
  EXPECT_ERROR(Index(Changed<uint32_t>(path, 1, 16, 1)), kExitBadData, "magic");
  EXPECT_ERROR(Index(Changed<uint32_t>(path, 1, 20, 999)), kExitBadData, "format 999");
  EXPECT_ERROR(Index(Changed<uint32_t>(path, 0, 40, 1000)), kExitBadData, "pages of 1000 bytes");
  EXPECT_ERROR(Index(Changed<uint32_t>(path, 1, 40, 8192)), kExitBadData, "pages of 4096");
  EXPECT_ERROR(Index(Changed<uint16_t>(path, 1, 94, 0)), kExitBadData, "depth 0");
  EXPECT_ERROR(Index(Changed<uint16_t>(path, 1, 94, 33)), kExitBadData, "depth 33");
  EXPECT_ERROR(Index(Changed<uint16_t>(path, 1, 94, 2)), kExitBadData, "is no branch");
  EXPECT_ERROR(Index(Changed<uint64_t>(path, 1, 120, 0)), kExitBadData, "holds no record");
  EXPECT_ERROR(Index(Changed<uint64_t>(path, 1, 120, 4)), kExitBadData, "holds 3 records");
  EXPECT_ERROR(Index(Changed<uint64_t>(path, 1, 128, UINT64_MAX)), kExitBadData, "beyond the end");
}

TEST_F(LmdbIndexTest, RefusesPagesThatCannotBe) {
  const std::string path = Lmdb(three_);
  const int64_t leaf = 2 + (TempDir::Read(path)[2 * 4096 + 10] == 4 ? 2 : 0);
  ASSERT_EQ(TempDir::Read(path)[leaf * 4096 + 10], 2);
  EXPECT_ERROR(Index(Changed<uint64_t>(path, leaf, 0, 7)), kExitBadData, "has the number 7");
  EXPECT_ERROR(Index(Changed<uint16_t>(path, leaf, 10, 4)), kExitBadData, "is no leaf");
  EXPECT_ERROR(Index(Changed<uint16_t>(path, leaf, 12, 5000)), kExitBadData, "5000 bytes");
  EXPECT_ERROR(Index(Changed<uint16_t>(path, leaf, 12, 17)), kExitBadData, "17 bytes");
  EXPECT_ERROR(Index(Changed<uint16_t>(path, leaf, 16, 4090)), kExitBadData, "at its byte 4090");
  EXPECT_ERROR(Index(Changed<uint16_t>(path, leaf, 16, 18)), kExitBadData, "at its byte 18");
  uint16_t node;
  std::memcpy(&node, TempDir::Read(path).data() + leaf * 4096 + 16, sizeof node);
  EXPECT_ERROR(Index(Changed<uint16_t>(path, leaf, node + 6, 60000)), kExitBadData, "leads out");
  EXPECT_ERROR(Index(Changed<uint32_t>(path, leaf, node, 0)), kExitBadData, "value of 0 bytes");
  EXPECT_ERROR(Index(Changed<uint32_t>(path, leaf, node, 4000)), kExitBadData, "leads out");
}

TEST_F(LmdbIndexTest, RefusesAPageThatIsThereTwice) {
  Pairs pairs;
  for (int i = 0; i < 100; ++i) pairs.emplace_back(StrCat(100 + i), std::string(99, 'x'));
  const std::string path = Lmdb(pairs);
  const std::string bytes = TempDir::Read(path);
  int64_t root;
  std::memcpy(&root, bytes.data() + 4096 + 128, sizeof root);
  ASSERT_EQ(bytes[root * 4096 + 10], 1);  // a branch
  uint16_t node;
  std::memcpy(&node, bytes.data() + root * 4096 + 16, sizeof node);
  EXPECT_ERROR(Index(Changed<uint16_t>(path, root, 18, node)), kExitBadData, "is there twice");
}

TEST_F(LmdbIndexTest, EveryTruncationIsRefused) {
  const std::string path = Lmdb(three_), bytes = TempDir::Read(path);
  int64_t end = 0;  // only the rest of a page follows it
  for (const ValuePlace& value : Index(path)) end = std::max(end, value.offset + value.size);
  for (int64_t size = 0; size < end; size += 500)
    EXPECT_ERROR(Index(dir_.Write("cut", bytes.substr(0, size))), kExitBadData, "cut");
  EXPECT_ERROR(Index(dir_.Write("cut", bytes.substr(0, end - 1))), kExitBadData, "cut off?");
}

}  // namespace
}  // namespace singa
