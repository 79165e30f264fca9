#include "singa/io/kvfile.h"

#include <gtest/gtest.h>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

TEST(KvFile, GivesBackWhatWasWritten) {
  TempDir dir;
  const std::vector<std::string> values = {"a", std::string("\0\xff", 2), std::string(100000, 'x')};
  KvFileWriter writer(dir.Path("new"));
  for (const std::string& value : values) writer.Write(value);
  writer.Commit();
  KvFileReader reader(dir.Path("new"));
  EXPECT_EQ(reader.name(), dir.Path("new"));
  ASSERT_EQ(reader.size(), 3);
  for (int64_t i : {2, 0, 1}) EXPECT_EQ(reader.Value(i), values[i]);
}

TEST(KvFile, NumbersItsKeys) {
  TempDir dir;
  KvFileWriter writer(dir.Path("new"));
  writer.Write("a");
  writer.Write("b");
  writer.Commit();
  EXPECT_EQ(TempDir::Read(dir.Path("new")), Tuple("00000000", "a") + Tuple("00000001", "b"));
}

TEST(KvFile, DoesNotAppearWithoutCommit) {
  TempDir dir;
  {
    KvFileWriter writer(dir.Path("new"));
    writer.Write("a");
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.Path("")));
}

TEST(KvFile, LeavesAnIncompleteValueOut) {
  TempDir dir;
  KvFileReader reader(dir.Write("cut", Tuple("0", "a") + Tuple("1", "bcd").substr(0, 19)));
  EXPECT_EQ(reader.size(), 1);
}

TEST(KvFile, NamesAFileThatIsMissingOrDamaged) {
  TempDir dir;
  EXPECT_ERROR(KvFileReader(dir.Path("none")), kExitNoInput, dir.Path("none"), "No such file");
  EXPECT_ERROR(KvFileReader(dir.Write("a", "abc")), kExitBadData, "no complete record");
  EXPECT_ERROR(KvFileReader(dir.Write("b", Tuple("0", "a") + Length(~uint64_t{0}))), kExitBadData,
               "record 1", "key");
  EXPECT_ERROR(KvFileWriter(dir.Path("no/folder")), kExitCantCreate, dir.Path("no/folder"));
}

}  // namespace
}  // namespace singa
