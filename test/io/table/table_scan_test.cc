// Tests TableScan, and WidthOf, which tells how many columns a table has.
#include "io/table/table_scan.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"

namespace singa {
namespace {

TableWidth Of(const std::string& text, ValueFormat format = ValueFormat::kRecord) {
  const TempDir dir;
  return WidthOf({.path = dir.Write("a.csv", text), .format = format});
}

TEST(TableScan, NumbersLinesAsTheyStandInTheFile) {
  const TempDir dir;
  TableScan scan(dir.Write("a.csv", "a,b\n\n1,2\n,\n3,4\n"), ",", true);
  std::vector<std::string_view> fields;
  for (const int64_t line : {3, 5}) {
    ASSERT_TRUE(scan.Next(&fields));
    EXPECT_EQ(scan.LineNumber(), line);
  }
}

TEST(WidthOf, OneBadLineDoesNotDecide) {
  EXPECT_EQ(Of("1,2,3,4\n1,2,3\n1,2,3\n").columns, 3);
  EXPECT_EQ(Of("1\n1,2,3\n1,2,3\n").columns, 3);
}

TEST(WidthOf, OfTwoThatAreAsFrequentTheFirstDecides) { EXPECT_EQ(Of("1,2\n1,2,3\n").columns, 2); }

TEST(WidthOf, ASeparatorAtTheEndOfALineOfThisWidthLeavesItOpen) {
  EXPECT_TRUE(Of("1,2,\n1,2\n").open);
  EXPECT_FALSE(Of("1,\n1,2\n1,2\n").open);
}

TEST(WidthOf, RecordsAreNoTable) {
  EXPECT_EQ(Of("label: 1, data: 2, data: 3\nlabel: 1, data: 2, data: 3\n").columns, 0);
  EXPECT_EQ(Of("").columns, 0);
  EXPECT_EQ(Of("http://a,1\nhttp://b,2\n").columns, 0);
  EXPECT_EQ(Of("http://a,1\nhttp://b,2\n", ValueFormat::kCsv).columns, 2);
}

}  // namespace
}  // namespace singa
