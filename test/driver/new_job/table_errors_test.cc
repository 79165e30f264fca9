// Tests the errors of `singa new job` about tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "driver/new_job/new_job_case.h"

namespace singa::new_job_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using TableErrorsTest = NewJobCase;

TEST_F(TableErrorsTest, RefusesToLeaveOutWhatIsNoColumnOfTheData) {
  const std::string table = Lines("a,b,c\n", "#,#,@", 9);
  EXPECT_THAT(Error(table, {"-leave_out", "a,town"}),
              HasSubstr("the header has no column \"town\"; there are \"a\", \"b\", \"c\""));
  EXPECT_THAT(Error(table, {"-leave_out", "4"}),
              HasSubstr("the header has 3 columns, -leave_out is 4"));
  EXPECT_THAT(Error(Lines("", "#,#,@", 9), {"-leave_out", "4"}),
              HasSubstr("has 3 columns, and -leave_out names column 4"));
  EXPECT_THAT(Error(table, {"-leave_out", "c"}),
              HasSubstr("-leave_out names column 3, \"c\", which is the label; -label_column C"));
  EXPECT_THAT(Error(table, {"-leave_out", "c", "-targets", "2"}), HasSubstr("which is a target"));
  EXPECT_THAT(Error(table, {"-leave_out", "a,b"}), HasSubstr("no column is left to learn from"));
  EXPECT_THAT(Error(table, {"-leave_out", "a,,b"}, kExitUsage),
              HasSubstr("-leave_out must name columns, such as id,name, is \"a,,b\""));
  EXPECT_EQ(Make(table, {"-leave_out", ""}).code, kExitUsage);
}

TEST_F(TableErrorsTest, RefusesALineThatIsWiderOrNarrowerThanTheOthers) {
  EXPECT_THAT(Error("1,2,0\n3,4,1\n5,6,7,0\n1,2,1\n2,2,0\n"),
              HasSubstr("t.csv:3: record 2: has 4 columns; most lines have 3"));
  EXPECT_THAT(Error("1,2,0\n3,4,1\n5,6,1\n1,2,1\n2,2\n"), HasSubstr("t.csv:5: record 4: "));
}

TEST_F(TableErrorsTest, RefusesTextThatWouldBeReadWrongly) {
  EXPECT_THAT(
      Error(Lines("a;b\n", "#,5;@", 9)),
      HasSubstr("t.csv:2: column 1, \"a\" has numbers with \",\" in 9 rows, such as \"0,5\"; "
                "write numbers such as 1234.5, or leave such columns out: -leave_out"));
  EXPECT_THAT(Error("a,b\nK\xf6ln,1\n"),
              HasSubstr("record 0: has characters that are not in UTF-8"));
  EXPECT_THAT(Error("PK\x03\x04..."), HasSubstr("is no text, but a zip file or a workbook"));
  EXPECT_THAT(
      Error("age,b\n1,x\n,y\n3,x\nten,x\n5,y\n"),
      EndsWith("t.csv:5: record 3: number 1 in column 1 (\"age\") is \"ten\"; correct it, or "
               "-leave_out 1 leaves the column out"));
  EXPECT_THAT(Error("1,x,0\n2,y,1\n3\n4,x,1\n5,y,0\n", {"-label_column", "1", "-targets", "1"}),
              EndsWith("t.csv:3: record 2: has 1 field; other lines have column 2"));
}

TEST_F(TableErrorsTest, NamesSignsInNumbersOfASpreadsheet) {
  const std::string prices =
      "item,price,share,rank\nA,950.5,5%,0\nB,\"$1,200.00\",,1\nC,,7%,0\n"
      "D,\"3,100\",1.5%,1\nE,700,9%,0\n";
  EXPECT_THAT(Error(prices),
              HasSubstr("t.csv:3: column 2, \"price\" has numbers with \"$\" and \",\" in 2 rows, "
                        "such as \"$1,200.00\"; column 3, \"share\" has numbers with \"%\" in 4 "
                        "rows, such as \"5%\"; write numbers such as 1234.5, or"));
  const CapturedCommand rest = Make(prices, {"-leave_out", "price,3,item"});
  EXPECT_THAT(rest.err, HasSubstr("no column is left to learn from"));
  EXPECT_EQ(Make("a,b\n5%,1\nlow,0\nhigh,1\nhigh,0\nlow,1\n").code, kExitOk);  // words
}

TEST_F(TableErrorsTest, RefusesTablesThatTeachNothing) {
  EXPECT_THAT(Error(""), HasSubstr("t.csv"));
  EXPECT_THAT(Error("1\n2\n3\n"), HasSubstr("has 1 column; a net needs columns to learn from"));
  EXPECT_THAT(Error(Lines("", "#,@", 4)), HasSubstr("has 4 records; a job needs at least 5"));
  EXPECT_THAT(Error(Lines("", "#,7", 9)), HasSubstr("all labels in column 2 are \"7\""));
  EXPECT_THAT(
      Error(Lines("", "#,word#", 30)),
      HasSubstr("hardly repeat, such as \"word0\": 30 different ones in 30 records; -label"));
  EXPECT_THAT(Error(Lines("", "@,word#", 2500)),
              HasSubstr("has more than 1000 different labels in column 2, such as \"word0\""));
  EXPECT_THAT(Error("a,b\n1,x\n2,y\n3,z\n4,x\n5,y\n", {"-targets", "1"}),
              HasSubstr("record 0: the target in column 2, \"b\" is \"x\"; targets are numbers"));
  EXPECT_THAT(Error(Lines("a,id\n", "@,#", 9)),
              HasSubstr("column 2, \"id\", would be the label, and it seems to be an id"));
  EXPECT_THAT(Error(Lines("id,b\n", "#,@", 9)),
              HasSubstr("no column is left to learn from; column \"id\": left out, because it"));
  EXPECT_THAT(
      Error("a,b\n1,x\n2,y\n3,x\n4,\n5,y\n"),
      HasSubstr(
          "t.csv:5: record 3: has no label in column 2, \"b\"; remove such records, 1 in all: "
          "line 5; -label_column"));
  EXPECT_THAT(Error("a,b\n1,x\nz,y\n3,x\n4,x\n5,y\n"), HasSubstr("t.csv:3: record 1: number 1"));
  EXPECT_THAT(Error("a,b\n1,v\n1,w\n1,x\n1,y\n1,z\n"), HasSubstr("no record for the test"));
}

TEST_F(TableErrorsTest, NamesTheFirstLinesWithoutALabel) {
  EXPECT_THAT(
      Error("a,b\n1,x\n\n2,\n" + Lines("", "#,", 6)),
      HasSubstr("t.csv:4: record 1: has no label in column 2, \"b\"; remove such records, 7 "
                "in all: lines 4, 5, 6, 7, 8 and 2 more; -label_column"));
  EXPECT_THAT(
      Error("a,b,c\n1,2,3\n4,5,\n6,NA,7\n8,9,1\n3,4,5\n", {"-targets", "2"}),
      HasSubstr("t.csv:3: record 1: has no target in column 3, \"c\"; remove such records, 2 "
                "in all: lines 3, 4; -label_column"));
}

}  // namespace
}  // namespace singa::new_job_test
