// Tests GuessColumns, which finds out how the columns of a table are to be read.
#include "io/table/guess_columns.h"

#include <gtest/gtest.h>

#include "io/table/table_columns.h"
#include "io/temp_dir.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

class GuessColumnsTest : public ::testing::Test {
 protected:
  // Returns the descriptions, a line each.
  std::string Guess(const std::string& text, StoreOptions options) const {
    options.path = dir_.Write("a.csv", text);
    std::string lines;
    for (const TableColumn& column : WithoutReasons(GuessColumns(options)))
      lines += ColumnText(column) + "\n";
    return lines;
  }

  const TempDir dir_;
  const StoreOptions labelled_ = {.header = true, .label_column = "rank"};
};

TEST_F(GuessColumnsTest, DescribesIdsWordsAndGaps) {
  EXPECT_EQ(Guess("id,age,city,rank,note\n"
                  "17,44,Oslo,gold,\n"
                  "18,,Rome,silver,\n"
                  "19,58,\"Oslo, \"\"N\"\"\",gold,\n"
                  "20,24,,gold,\n",
                  labelled_),
            "columns { name: \"id\" leave_out: true }\n"
            "columns { name: \"age\" missing: 42 }\n"
            "columns { name: \"city\" words: [\"Oslo\", \"Oslo, \\\"N\\\"\", \"Rome\"] }\n"
            "columns { name: \"note\" leave_out: true }\n");
}

TEST_F(GuessColumnsTest, GivesReasons) {
  StoreOptions options = labelled_;
  options.path = dir_.Write("a.csv", "id,age,city,rank,note\n1,44,Oslo,a,\n2,,3,b,\n3,NA,N,b,\n");
  std::vector<std::string> reasons;
  for (const GuessedColumn& one : GuessColumns(options)) reasons.push_back(one.reason);
  EXPECT_EQ(reasons, (std::vector<std::string>{"it seems to be an id",
                                               "the mean, for 2 empty fields", "it is empty"}));
}

TEST_F(GuessColumnsTest, AGapOrANumberMayStandAmongWords) {
  EXPECT_EQ(Guess("grade,rank\nA,1\nB,1\nC,1\n7,1\n?,1\nNA,1\n", labelled_),
            "columns { name: \"grade\" words: [\"7\", \"A\", \"B\", \"C\"] }\n");
}

TEST_F(GuessColumnsTest, SpreadsheetsWriteGapsInSeveralWays) {
  EXPECT_EQ(Guess("age,rank\n4,1\n-,1\n#N/A,1\n#div/0!,1\nNULL,1\n?,1\n6,1\n", labelled_),
            "columns { name: \"age\" missing: 5 }\n");
}

TEST_F(GuessColumnsTest, TellsOfWordsThatAreNoUtf8) {
  StoreOptions options = labelled_;
  options.path = dir_.Write("a.csv", "city,rank\nBern,a\nZ\xFCrich,b\n");
  const std::vector<GuessedColumn> columns = GuessColumns(options);
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(columns[0].reason, "its words are not in UTF-8");
}

TEST_F(GuessColumnsTest, AFieldOfATableMayLookLikeAMessage) {
  StoreOptions options = labelled_;
  const std::string text = "page,rank\nhttp://a,1\nhttp://b,2\n";
  EXPECT_EQ(Guess(text, options), "");
  options.format = ValueFormat::kCsv;
  EXPECT_EQ(Guess(text, options),
            "columns { name: \"page\" words: [\"http://a\", \"http://b\"] }\n");
}

TEST_F(GuessColumnsTest, ATimeIsNoMessage) {
  EXPECT_EQ(Guess("alice,12:30,0\nbob,12:30,1\n", {.label_column = "3"}),
            "columns { name: \"1\" words: [\"alice\", \"bob\"] }\n"
            "columns { name: \"2\" words: [\"12:30\"] }\n");
}

TEST_F(GuessColumnsTest, NumbersNeedNoDescription) {
  EXPECT_EQ(Guess("age,rank,size\n1,a,2\n3,b,4\n", labelled_), "");
  EXPECT_EQ(Guess("1,2,\n3,4,\n", {}), "");  // a separator ends each line
  EXPECT_EQ(Guess("label: 1 data: [1, 2]\n", {}), "");
}

TEST_F(GuessColumnsTest, AWordAmongNumbersIsAMistake) {
  EXPECT_EQ(Guess("age,rank\n1,a\nold,a\n3,b\n", labelled_), "");
  EXPECT_EQ(Guess("age,rank\n1,a\n,a\nold,b\n4,b\n", labelled_),
            "columns { name: \"age\" missing: 2.5 }\n");  // by which "old" is a bad record
}

TEST_F(GuessColumnsTest, WordsThatHardlyRepeatAreLeftOut) {
  std::string text = "name,kind,rank\n";
  for (int i = 0; i < 40; ++i) text += StrCat("Ann ", i, ",k", i % 3, ",", i, "\n");
  EXPECT_EQ(Guess(text, labelled_),
            "columns { name: \"name\" leave_out: true }\n"
            "columns { name: \"kind\" words: [\"k0\", \"k1\", \"k2\"] }\n");
  EXPECT_EQ(Guess("name,rank\n\xff,1\n", labelled_),
            "columns { name: \"name\" leave_out: true }\n");
}

TEST_F(GuessColumnsTest, AnIdHasTheNameOfOneAndIntegers) {
  for (const char* name : {"ID", "PassengerId", "user_id", "row id", "Unnamed: 0", "index"})
    EXPECT_NE(Guess(StrCat(name, ",rank\n1,1\n2,1\n"), labelled_), "") << name;
  for (const char* name : {"grid", "Paid", "acid", "idle"})
    EXPECT_EQ(Guess(StrCat(name, ",rank\n1,1\n2,1\n"), labelled_), "") << name;
  EXPECT_EQ(Guess("id,rank\n1.5,1\n", labelled_), "");
}

TEST_F(GuessColumnsTest, ColumnsThatHaveNoNameOfTheirOwnGetNumbers) {
  EXPECT_EQ(Guess("1,a,\n2,b,7\n", {}),
            "columns { name: \"2\" words: [\"a\", \"b\"] }\ncolumns { name: \"3\" missing: 7 }\n");
  EXPECT_EQ(Guess("rank,2019,x,x\n1,,3,\n1,5,,4\n", labelled_),
            "columns { name: \"2\" missing: 5 }\ncolumns { name: \"3\" missing: 3 }\n"
            "columns { name: \"4\" missing: 4 }\n");
  EXPECT_EQ(Guess(",rank\n0,1\n1,1\n", labelled_), "columns { name: \"\" leave_out: true }\n");
}

TEST_F(GuessColumnsTest, TargetsAreNotDescribed) {
  StoreOptions options = labelled_;
  options.targets = 2;
  EXPECT_EQ(Guess("id,rank,size,city\n1,,,a\n2,,,b\n", options),
            "columns { name: \"id\" leave_out: true }\n"
            "columns { name: \"city\" words: [\"a\", \"b\"] }\n");
}

}  // namespace
}  // namespace singa
