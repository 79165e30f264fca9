#include "io/table/line_index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/temp_dir.h"

namespace singa {
namespace {

TEST(LineCounterTest, NumbersLinesInAnyOrderOfOffsets) {
  std::string text;
  for (int line = 0; line < 3000; ++line) text += std::string(line % 97, 'x') + "\n";
  ASSERT_GT(text.size(), size_t{1} << 17);  // several blocks
  TempDir dir;
  const InputFile file = InputFile::Open(dir.Write("lines", text));
  LineCounter lines;
  for (const int64_t offset :
       {int64_t{130000}, int64_t{0}, int64_t{1}, int64_t{65535}, int64_t{65536}, int64_t{65537},
        int64_t{131072}, int64_t{99}, static_cast<int64_t>(text.size())}) {
    const int64_t line = 1 + std::count(text.begin(), text.begin() + offset, '\n');
    EXPECT_EQ(lines.At(file, offset), line) << offset;
    EXPECT_EQ(LineAt(file, offset), line) << offset;
  }
}

}  // namespace
}  // namespace singa
