// Tests how a line of CSV is cut into fields, and how columns are found in a header.
#include "io/table/csv_fields.h"

#include <gtest/gtest.h>

#include "io/refusal.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using Texts = std::vector<std::string>;

Texts FieldsOf(std::string_view line, const std::string& separator = ",") {
  const CsvFields fields(separator);
  Texts all;
  while (const auto field = fields.Next(&line)) all.emplace_back(*field);
  return all;
}

std::string ErrorOfColumn(const std::string& column, const Texts& names) {
  return RefusalOf([&] { ColumnIndex(column, names); });
}

TEST(CsvFieldsTest, ASeparatorInQuotesSeparatesNothing) {
  EXPECT_EQ(FieldsOf(R"("a,b",1)"), (Texts{"a,b", "1"}));
  EXPECT_EQ(FieldsOf(R"(1 , "2;3" ;4)", ",;"), (Texts{"1", "2;3", "4"}));
  EXPECT_EQ(FieldsOf(R"("1 2" 3)", " "), (Texts{"1 2", "3"}));
}

TEST(CsvFieldsTest, TwoQuotesInQuotesDoNotCloseAField) {
  EXPECT_EQ(FieldsOf(R"("a"",""b",1)"), (Texts{R"(a"",""b)", "1"}));
  EXPECT_EQ(FieldsOf(R"("""",1)"), (Texts{R"("")", "1"}));
}

TEST(CsvFieldsTest, AQuoteWithinAFieldIsText) {
  EXPECT_EQ(FieldsOf(R"(5" pipe,1)"), (Texts{R"(5" pipe)", "1"}));
}

TEST(CsvFieldsTest, AQuoteThatDoesNotCloseTakesTheRest) {
  EXPECT_EQ(FieldsOf(R"(1,"2,3)"), (Texts{"1", R"("2,3)"}));
  EXPECT_EQ(FieldsOf(R"("2"",3)"), (Texts{R"("2"",3)"}));
  EXPECT_EQ(FieldsOf("\""), (Texts{"\""}));
}

TEST(CsvFieldsTest, AnEmptyFieldInQuotesEndsALine) {
  EXPECT_EQ(FieldsOf(R"(1,"")"), (Texts{"1", ""}));
  EXPECT_EQ(FieldsOf("1,"), (Texts{"1"}));
  EXPECT_EQ(FieldsOf(",1"), (Texts{"", "1"}));
}

TEST(CsvFieldsTest, TwoTabsHaveAnEmptyFieldBetweenThem) {
  EXPECT_EQ(FieldsOf("1\t\t 3\t\"\"\r", "\t"), (Texts{"1", "", "3", ""}));
  EXPECT_EQ(FieldsOf("\t1", "\t"), (Texts{"", "1"}));
  EXPECT_EQ(FieldsOf("1\t\t2;;3", "\t;"), (Texts{"1", "", "2", "", "3"}));
  EXPECT_EQ(FieldsOf(" \t1 \t  2\t", " \t"), (Texts{"1", "2"}));  // aligned columns
  EXPECT_TRUE(CsvFields("\t").EndsInQuotes("1\t\t\"2"));
  EXPECT_TRUE(CsvFields("\t").EndsInSeparator("1\t \r"));
  EXPECT_FALSE(CsvFields("\t ").EndsInSeparator("1\t \r"));
}

TEST(CsvFieldsTest, AHeaderHasNamesWithSeparatorsAndQuotes) {
  EXPECT_EQ(ColumnNames("\"width, cm\",\"5\"\" pipe\", age \r", ","),
            (Texts{"width, cm", "5\" pipe", "age"}));
  EXPECT_EQ(ColumnNames("\"a\"\"\"\"b\",\"\"\"c\"\"\"", ","), (Texts{"a\"\"b", "\"c\""}));
}

TEST(CsvFieldsTest, AHeaderOfNumbersIsTold) {
  EXPECT_TRUE(AreNumbers({"0", "1.5", "-2e3"}));
  EXPECT_FALSE(AreNumbers({"0", "x1"}));
  EXPECT_FALSE(AreNumbers({"0", ""}));
}

TEST(CsvFieldsTest, ANumberIsWhatAFieldOfNumbersMayHold) {
  for (const char* number : {"0", "+1", "-.5", "1e-60", "1e999", "inf"})
    EXPECT_TRUE(IsNumber(number)) << number;
  for (const char* word : {"", "x1", "1x", "0x10", "+-1", "+"})
    EXPECT_FALSE(IsNumber(word)) << word;
}

TEST(CsvFieldsTest, ADecimalCommaIsBetweenDigits) {
  for (const char* number : {"2,5", "-10,25", "+0,1"}) EXPECT_TRUE(HasDecimalComma(number));
  for (const char* other : {"", "2", "2,", ",5", "1,2,3", "2.5", "a,5", "2,5x", "-"})
    EXPECT_FALSE(HasDecimalComma(other)) << other;
}

TEST(CsvFieldsTest, AColumnIsItsNumberOrItsName) {
  const Texts names = {"id", "age", "2"};
  EXPECT_EQ(ColumnIndex("", names), 0);
  EXPECT_EQ(ColumnIndex("3", names), 2);
  EXPECT_EQ(ColumnIndex("2", names), 1);  // a number, not the name
  EXPECT_EQ(ColumnIndex("age", names), 1);
  EXPECT_EQ(ColumnIndex("7", {}), 6);
}

TEST(CsvFieldsTest, AColumnThatIsNotThereIsRefused) {
  const Texts names = {"id", "age", "age"};
  EXPECT_EQ(ErrorOfColumn("ids", names), "the header has no column \"ids\"; did you mean \"id\"?");
  EXPECT_EQ(ErrorOfColumn("colour", names),
            "the header has no column \"colour\"; there are \"id\", \"age\", \"age\"");
  EXPECT_EQ(ErrorOfColumn("age", names),
            "the header has two columns \"age\"; give label_column as a number");
  EXPECT_EQ(ErrorOfColumn("4", names), "the header has 3 columns, label_column is 4");
  EXPECT_EQ(ErrorOfColumn("0", names), "the header has 3 columns, label_column is 0");
  EXPECT_EQ(ErrorOfColumn("age", {}),
            "label_column must be a number from 1 if there is no header, is \"age\"");
}

TEST(CsvFieldsTest, ASeparatorIsNoPartOfANumberOrAWord) {
  EXPECT_EQ(SeparatorsIn(";"), ";");
  EXPECT_EQ(SeparatorsIn(", \t"), ", \t");
  EXPECT_EQ(SeparatorsIn("\\t;"), "\t;");  // as in a command line
  const auto error = [](const std::string& text) {
    try {
      SeparatorsIn(text);
    } catch (const ConfigError& refusal) {
      return refusal.message();
    }
    return std::string();
  };
  EXPECT_EQ(error(""), "must have a character");
  EXPECT_EQ(error("\\n"),
            "has the character n; letters, digits, quotes, \".\", \"+\" and \"-\" cannot separate "
            "fields");
  for (const char* bad : {"t", "0", ".", "+", ",-", "\"", "'"}) EXPECT_NE(error(bad), "") << bad;
}

TEST(CsvFieldsTest, ALabelIsAnIntegerInTheRangeThatAnErrorSays) {
  EXPECT_EQ(LabelFrom("+5"), 5);
  EXPECT_EQ(LabelFrom("-2147483647"), -2147483647);
  EXPECT_EQ(LabelFrom("2147483647"), 2147483647);
  for (const char* bad : {"-2147483648", "2147483648", "+-5", "1.0", ""})
    EXPECT_FALSE(LabelFrom(bad)) << bad;
  EXPECT_EQ(NoLabelText("the label", "x"),
            "the label must be an integer from -2147483647 to 2147483647, is \"x\"");
  for (const char* whole : {"1.0", "-2.", "3e0"})
    EXPECT_EQ(IntegerAdvice(whole), "; write classes as integers") << whole;
  for (const char* other : {"1.5", "x", "99999999999", ""}) EXPECT_EQ(IntegerAdvice(other), "");
}

TEST(CsvFieldsTest, AReturnWithinALineIsTold) {
  EXPECT_TRUE(HasLoneReturn("1,2\r3,4"));
  EXPECT_FALSE(HasLoneReturn("1,2\r"));
  EXPECT_FALSE(HasLoneReturn("1,2 \r \t\r"));
  EXPECT_EQ(FirstLineAdvice("a,b\r1,2\r"), "; lines seem to end with \\r alone; end them with \\n");
}

TEST(CsvFieldsTest, AnErrorListsTheFirstColumns) {
  Texts names;
  for (int i = 0; i < 2000; ++i) names.push_back(StrCat("x", i));
  EXPECT_EQ(ErrorOfColumn("something", names),
            "the header has no column \"something\"; there are \"x0\", \"x1\", \"x2\", \"x3\", "
            "\"x4\", \"x5\", \"x6\", \"x7\" and 1992 more");
}

}  // namespace
}  // namespace singa
