// Tests what a handler of signals removes.
#include "base/file/unfinished_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "io/temp_dir.h"

namespace singa {
namespace {

TEST(UnfinishedFile, ItsFileIsRemovedAndNoOther) {
  const TempDir dir;
  const std::string path = dir.Write("a", "text"), other = dir.Write("b", "text");
  const UnfinishedFile file(path);
  auto ended = std::make_unique<UnfinishedFile>(other);
  ended.reset();
  RemoveUnfinishedFiles();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST(UnfinishedFile, AFolderIsRemovedWithItsFiles) {
  const TempDir dir;
  const std::string path = dir.Path("folder");
  std::filesystem::create_directory(path);
  for (int i = 0; i < 300; ++i) dir.Write("folder/a file of some length " + std::to_string(i), "");
  const UnfinishedFile file(path);
  RemoveUnfinishedFiles();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace singa
