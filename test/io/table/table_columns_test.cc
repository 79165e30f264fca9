// Tests columns of a table that are ids, words, or numbers with gaps.
#include "io/table/table_columns.h"

#include <gtest/gtest.h>

#include "io/refusal.h"
#include "io/table/csv_parser.h"
#include "io/temp_dir.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using FloatRow = std::vector<float>;
using Words = std::vector<std::string>;

const TableColumn kId = {.name = "id", .leave_out = true};
const TableColumn kCity = {.name = "city", .words = {"Oslo", "5\" pipe", "n/a"}};
const TableColumn kAge = {.name = "age", .missing = -1.5f};
const Words kNames = {"id", "age", "city", "rank"};

StoreOptions Described(std::vector<TableColumn> columns) {
  return {.label_column = "rank", .columns = std::move(columns)};
}

FloatRow RowOf(const StoreOptions& options, const std::string& line, const Words& names = kNames) {
  const auto parser = NewCsvParser(options, names);
  const Sample& sample = parser->Parse(line);
  return {sample.data.begin(), sample.data.end()};
}

std::string ErrorIn(const StoreOptions& options, const std::string& line,
                    const Words& names = kNames) {
  return RefusalOf([&] { NewCsvParser(options, names)->Parse(line); });
}

TEST(TableColumnsTest, WordsBecomeOneNumberEach) {
  const StoreOptions options = Described({kAge, kCity, kId});
  EXPECT_EQ(RowOf(options, "x7,31, Oslo ,2"), (FloatRow{31, 1, 0, 0}));
  EXPECT_EQ(RowOf(options, "x7,31,\"5\"\" pipe\",2"), (FloatRow{31, 0, 1, 0}));
  EXPECT_EQ(RowOf(options, ",31,n/a,2"), (FloatRow{31, 0, 0, 1}));
  EXPECT_EQ(RowOf(options, "x7,31,,2"), (FloatRow{31, 0, 0, 0}));
  EXPECT_EQ(RowOf(options, "x7,31,?,2"), (FloatRow{31, 0, 0, 0}));
}

TEST(TableColumnsTest, AGapGetsTheNumberForIt) {
  const StoreOptions options = Described({kAge, kCity, kId});
  for (const char* gap :
       {"", " ", "\"\"", "NA", "n/a", "NaN", "null", "None", "?", "-", "#N/A", "#DIV/0!"})
    EXPECT_EQ(RowOf(options, StrCat("1,", gap, ",Oslo,2")), (FloatRow{-1.5f, 1, 0, 0})) << gap;
  EXPECT_EQ(RowOf({.has_label = false, .columns = {{.name = "2", .missing = 4.f}}}, "1,", {}),
            (FloatRow{1, 4}));
}

TEST(TableColumnsTest, NumbersAndOtherWordsAreNoGaps) {
  for (const char* field : {"0", "-1", "--", "nanny", "#REF!", "#NAME?", "1/0"})
    EXPECT_FALSE(IsGap(field)) << field;
}

TEST(TableColumnsTest, AListedWordIsNoGap) {
  const StoreOptions options = {.has_label = false,
                                .columns = {{.name = "1", .words = {"+", "-"}}}};
  EXPECT_EQ(RowOf(options, "-,5", {}), (FloatRow{0, 1, 5}));
}

TEST(TableColumnsTest, AWordThatIsNotListedIsAGapWhereOptionsSaySo) {
  StoreOptions options = Described({kAge, kCity, kId});
  options.reads_unknown_words = true;
  const auto parser = NewCsvParser(options, kNames);
  const Sample& sample = parser->Parse("x7,31,\"Pa\"\"ris\",2");
  EXPECT_EQ(FloatRow(sample.data.begin(), sample.data.end()), (FloatRow{31, 0, 0, 0}));
  ASSERT_EQ(sample.unknown_words.size(), 1);
  EXPECT_EQ(sample.unknown_words[0].column, 2);
  EXPECT_EQ(sample.unknown_words[0].place, "the word in column 3 (\"city\")");
  EXPECT_EQ(sample.unknown_words[0].word, "Pa\"ris");
  EXPECT_TRUE(parser->Parse("x7,31,Oslo,2").unknown_words.empty());
}

TEST(TableColumnsTest, OnlyAWordInAColumnOfWordsCanBeUnknown) {
  StoreOptions options = Described({kAge, kCity, kId});
  options.reads_unknown_words = true;
  for (const char* bad : {"7", "\"Oslo"})
    EXPECT_TRUE(ErrorIn(options, StrCat("x7,31,", bad, ",2")).starts_with("the word in column 3"))
        << bad;
  EXPECT_TRUE(ErrorIn(options, "x7,old,Oslo,2").starts_with("number 1 in column 2 (\"age\")"));
  options.columns = {kAge, kId, {.name = "city", .words = {"1", "2"}}};
  EXPECT_EQ(RowOf(options, "x7,31,3,2"), (FloatRow{31, 0, 0}));
}

TEST(TableColumnsTest, AGapIsRefusedWhereNoNumberStandsForIt) {
  EXPECT_EQ(
      ErrorIn({.has_label = false}, "2,,3", {}),
      "number 2 in column 2 is \"\"; on_bad_record: kSkip (singa data: -max_bad N) leaves such "
      "records out; columns { name: \"2\" missing: NUMBER } fills gaps");
}

TEST(TableColumnsTest, ErrorsForANewJobAdviseNoFieldOfAConf) {
  StoreOptions options = Described({kId, kCity});
  options.for_new_job = true;
  const std::string advice = "; correct it, or -leave_out 2 leaves the column out";
  for (const char* bad : {"old", "NA", ""})
    EXPECT_EQ(ErrorIn(options, StrCat("1,", bad, ",Oslo,2")),
              StrCat("number 1 in column 2 (\"age\") is \"", bad, "\"", advice));
  EXPECT_EQ(ErrorIn({.targets = 1, .for_new_job = true}, "x,2", {}),
            "target 1 in column 1 is \"x\"");
}

TEST(TableColumnsTest, OtherFieldsAreNamedInTheError) {
  const StoreOptions options = Described({kAge, kCity, kId});
  EXPECT_TRUE(
      ErrorIn(options, "1,31,Osl,2")
          .starts_with("the word in column 3 (\"city\") must be one of words, "
                       "\"Oslo\", \"5\" pipe\", \"n/a\", is \"Osl\"; did you mean \"Oslo\"?"));
  EXPECT_TRUE(
      ErrorIn(options, "1,old,Oslo,2").starts_with("number 1 in column 2 (\"age\") is \"old\""));
  EXPECT_TRUE(ErrorIn(options, "1,31,7,2").starts_with("the word in column 3"));
  EXPECT_TRUE(ErrorIn(Described({kCity, kId}), "1,NA,Oslo,2")
                  .ends_with("; columns { name: \"age\" missing: NUMBER } fills gaps"));
  EXPECT_TRUE(ErrorIn(Described({kAge, kId}), "1,31,Oslo,2")
                  .ends_with("; every column but the label must hold numbers, or be described in "
                             "columns: singa data stat prints them"));
  EXPECT_EQ(ErrorIn({.columns = {{.name = "5", .leave_out = true}}}, "1,2,3", {}),
            "has 3 fields, and columns describes column 5");
}

TEST(TableColumnsTest, AColumnIsDescribedOnceAndIsNoLabel) {
  EXPECT_EQ(ErrorIn(Described({{.name = "town", .leave_out = true}}), ""),
            "the header has no column \"town\"; there are \"id\", \"age\", \"city\", \"rank\"");
  EXPECT_EQ(ErrorIn({.columns = {{.name = "3", .leave_out = true}, kCity}}, ""),
            "column 3 is described twice in columns, as \"3\" and as \"city\"");
  EXPECT_EQ(ErrorIn(Described({{.name = "4", .leave_out = true}}), ""),
            "the label in column 4 (\"rank\") is in columns, too; columns is for the data");
  EXPECT_EQ(ErrorIn({.targets = 2, .label_column = "age", .columns = {kCity}}, ""),
            "a target in column 3 (\"city\") is in columns, too; columns is for the data");
}

TEST(TableColumnsTest, AColumnWithoutANameCanBeLeftOut) {
  const StoreOptions options = {.label_column = "rank", .columns = {{.leave_out = true}}};
  EXPECT_EQ(RowOf(options, "a,1,2", {"", "age", "rank"}), (FloatRow{1}));
  EXPECT_EQ(ErrorIn(options, "a,1,2", {"", "", "rank"}),
            "columns.name is \"\", and not exactly one column has no name");
}

TEST(TableColumnsTest, ARecordHasTheTextOfTheColumnWithIds) {
  StoreOptions options = Described({kAge, kCity, kId});
  options.id_column = "id";
  const auto parser = NewCsvParser(options, kNames);
  EXPECT_EQ(parser->Parse("\"x \"\"7\"\"\",31,Oslo,2").id, "x \"7\"");
  EXPECT_EQ(parser->Parse(",31,Oslo,2").id, "");
  options.id_column = "3";
  EXPECT_EQ(NewCsvParser(options, kNames)->Parse("x7,31,Oslo,2").id, "Oslo");
  EXPECT_EQ(NewCsvParser(Described({kAge, kCity, kId}), kNames)->Parse("x7,31,Oslo,2").id, "");
}

TEST(TableColumnsTest, NamesOfNumbersNameTheirWords) {
  const TempDir dir;
  StoreOptions options = {.path = dir.Write("a.csv", "id,age,city,rank\n1,31,Oslo,2\n"),
                          .format = ValueFormat::kCsv,
                          .header = true,
                          .label_column = "rank",
                          .columns = {kId, kCity}};
  EXPECT_EQ(OpenStore("textfile", options)->columns(),
            (Words{"age", "city=Oslo", "city=5\" pipe", "city=n/a"}));
  options.targets = 1;
  EXPECT_EQ(OpenStore("textfile", options)->columns(),
            (Words{"age", "city=Oslo", "city=5\" pipe", "city=n/a", "rank"}));
}

TEST(TableColumnsTest, ATextDescribesThemForAConf) {
  EXPECT_EQ(ColumnText(kId), "columns { name: \"id\" leave_out: true }");
  EXPECT_EQ(ColumnText(kAge), "columns { name: \"age\" missing: -1.5 }");
  EXPECT_EQ(ColumnText(kCity),
            "columns { name: \"city\" words: [\"Oslo\", \"5\\\" pipe\", \"n/a\"] }");
  EXPECT_EQ(ColumnsFor(6, {kId, kCity, kAge}), 5);
}

}  // namespace
}  // namespace singa
