#include "io/file/text_file.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"

namespace singa::text_file {
namespace {

TEST(TextFile, HasTheTextThatWasWrittenLast) {
  const TempDir dir;
  PosixFileSystem files;
  WriteText(&files, dir.Path("a"), "first");
  WriteText(&files, dir.Path("a"), "second\n");
  EXPECT_EQ(ReadText(dir.Path("a"), 7), "second\n");
}

TEST(TextFile, IsNotReadIfItIsMissingOrTooLarge) {
  const TempDir dir;
  PosixFileSystem files;
  EXPECT_EQ(ReadText(dir.Path("a"), 100), std::nullopt);
  WriteText(&files, dir.Path("a"), "text");
  EXPECT_EQ(ReadText(dir.Path("a"), 3), std::nullopt);
}

}  // namespace
}  // namespace singa::text_file
