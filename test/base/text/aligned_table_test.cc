#include "base/text/aligned_table.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(AlignedTable, ColumnsHaveTheWidthOfTheirLongestText) {
  EXPECT_EQ(AlignedTable({{"layer", "ms"}, {"fc", "0.250"}, {"softmax", "12"}}, 1),
            "layer       ms\n"
            "fc       0.250\n"
            "softmax     12\n");
}

TEST(AlignedTable, NoLineEndsWithBlanks) {
  EXPECT_EQ(AlignedTable({{"a", "why"}, {"b", ""}}, 2), "a  why\nb\n");
  EXPECT_EQ(AlignedTable({}, 1), "");
}

TEST(AlignedTable, ACellStaysInItsLine) {
  EXPECT_EQ(AlignedTable({{"a\nb", "ms"}, {"c", "1"}}, 1), "a\\x0ab  ms\nc        1\n");
}

}  // namespace
}  // namespace singa
