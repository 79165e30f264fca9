// Tests NewCsvParser, which parses lines of numbers.
#include <gtest/gtest.h>

#include "io/refusal.h"
#include "io/table/csv_parser.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using FloatRow = std::vector<float>;

FloatRow NumbersOf(const std::string& line, const std::string& separator = ",") {
  const auto parser = NewCsvParser(separator, false);
  const Sample& sample = parser->Parse(line);
  return {sample.data.begin(), sample.data.end()};
}
int32_t LabelIn(const std::string& line) { return NewCsvParser(",", true)->Parse(line).label; }

// Returns the error of a line; "" if there is none.
std::string LineError(const std::string& line, const std::string& separator = ",",
                      bool has_label = true) {
  try {
    NewCsvParser(separator, has_label)->Parse(line);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "";
}
// The end of an error about a field that is no number, and about one that is a word.
constexpr char kSkip[] = "; on_bad_record: kSkip (singa data: -max_bad N) leaves such records out";
const std::string target_word = StrCat(kSkip, "; every column must hold numbers");
const std::string word = target_word + ", or be described in columns: singa data stat prints them";

std::string NumbersError(const std::string& line) { return LineError(line, ",", false); }
// Returns the advice in the error of a line: the text from the first "; " on.
std::string AdviceFor(const std::string& line, const std::string& separator = ",") {
  const std::string error = LineError(line, separator);
  const size_t at = error.find("; ");
  return at == std::string::npos ? "" : error.substr(at);
}

TEST(CsvParserTest, ALineIsNumbersBetweenSeparators) {
  EXPECT_EQ(NumbersOf("1,2.5,-3"), (FloatRow{1, 2.5, -3}));
  EXPECT_EQ(NumbersOf(""), FloatRow{});
}

TEST(CsvParserTest, TargetsComeFirstInPlaceOfALabel) {
  const auto parser = NewCsvParser(",", true, 2);
  for (int again = 0; again < 2; ++again) {
    const Sample& sample = parser->Parse("-0.5,+1e2,7,8");
    EXPECT_EQ(FloatRow(sample.targets.begin(), sample.targets.end()), (FloatRow{-0.5f, 100}));
    EXPECT_EQ(FloatRow(sample.data.begin(), sample.data.end()), (FloatRow{7, 8}));
    EXPECT_FALSE(sample.has_label());
  }
  EXPECT_FALSE(parser->LabelOf("1,2,3"));
}

TEST(CsvParserTest, TargetsThatAreMissingOrNoNumbersAreNamed) {
  const auto error = [](const std::string& line) {
    try {
      NewCsvParser(",", true, 2)->Parse(line);
    } catch (const ValueError& thrown) {
      return std::string(thrown.what());
    }
    return std::string();
  };
  EXPECT_EQ(error("1"), "has 1 number; the first 2 are targets, as num_targets or -targets says");
  EXPECT_EQ(error(""), "has 0 numbers; the first 2 are targets, as num_targets or -targets says");
  EXPECT_EQ(error("1,x,3"), "target 2 in column 2 is \"x\"" + target_word);
  EXPECT_EQ(error("1,,3"), StrCat("target 2 in column 2 is \"\"", kSkip));
  EXPECT_EQ(error("nan,1,3"), StrCat("target 1 in column 1 is \"nan\"", kSkip));
  EXPECT_EQ(error("1,1e99,3"), "target 2 in column 2 is too large: \"1e99\"");
  EXPECT_EQ(error("1,2,y"), "number 1 in column 3 is \"y\"" + word);
}

TEST(CsvParserTest, ALabelComesFirst) {
  const auto parser = NewCsvParser(",", true);
  const Sample& sample = parser->Parse("7,0.5,1");
  EXPECT_EQ(sample.label, 7);
  EXPECT_EQ(FloatRow(sample.data.begin(), sample.data.end()), (FloatRow{0.5, 1}));
}

TEST(CsvParserTest, WithoutALabelAllAreNumbers) {
  EXPECT_FALSE(NewCsvParser(",", false)->Parse("1,2").has_label());
}

TEST(CsvParserTest, ASecondLineReplacesTheFirst) {
  const auto parser = NewCsvParser(",", true);
  parser->Parse("7,1,2,3");
  EXPECT_EQ(parser->Parse("8,4").size(), 1);
}

TEST(CsvParserTest, EachCharacterSeparates) {
  EXPECT_EQ(NumbersOf("1;2,3", ",;"), (FloatRow{1, 2, 3}));
  EXPECT_EQ(NumbersOf("1\t2\t3", "\t"), (FloatRow{1, 2, 3}));
}

TEST(CsvParserTest, SeveralSpacesSeparateOnce) {
  EXPECT_EQ(NumbersOf("  1  2 3 ", " "), (FloatRow{1, 2, 3}));
}

TEST(CsvParserTest, BlanksAroundNumbersDoNotCount) {
  EXPECT_EQ(NumbersOf(" 1,\t2 , 3\r"), (FloatRow{1, 2, 3}));
}

TEST(CsvParserTest, ASeparatorMayEndTheLine) { EXPECT_EQ(NumbersOf("1,2,"), (FloatRow{1, 2})); }

TEST(CsvParserTest, NumbersMayBeInQuotes) {
  EXPECT_EQ(NumbersOf("\"0.5\" ,\" -2 \""), (FloatRow{0.5, -2}));
  EXPECT_EQ(LabelIn("\"3\",1"), 3);
}

TEST(CsvParserTest, ReadsNumbersAsWritten) {
  EXPECT_EQ(NumbersOf("+1,-.5,1e-50,3.4e38"), (FloatRow{1, -.5f, 0, 3.4e38f}));
}

TEST(CsvParserTest, RefusesWhatIsNoNumber) {
  for (const char* bad :
       {"x", "nan", "inf", "-inf", "1.5x", "0x10", "1 2", "--1", "+-1", "+", "\"1"})
    EXPECT_TRUE(NumbersError(StrCat("1,", bad))
                    .starts_with(StrCat("number 2 in column 2 is \"", bad, "\"")))
        << bad;
}

TEST(CsvParserTest, RefusesANumberThatNoFloatHolds) {
  EXPECT_EQ(NumbersError("1e39"), "number 1 in column 1 is too large: \"1e39\"");
  EXPECT_EQ(NumbersError("-1e400"), "number 1 in column 1 is too large: \"-1e400\"");
}

TEST(CsvParserTest, ALabelIsAnIntegerOfEitherSign) {
  EXPECT_EQ(LabelIn("-100,1"), -100);
  EXPECT_EQ(LabelIn("+5,1"), 5);
  EXPECT_EQ(LabelIn("2147483647,1"), 2147483647);
}

TEST(CsvParserTest, RefusesWhatIsNoLabel) {
  for (const char* bad : {"-2147483648", "-", "1.5", "x", "", "99999999999", "+-5"})
    EXPECT_TRUE(
        LineError(StrCat(bad, ",2"))
            .starts_with(StrCat(
                "the label must be an integer from -2147483647 to 2147483647, is \"", bad, "\"")))
        << bad;
}

TEST(CsvParserTest, ALineWithoutALabelIsRefused) { EXPECT_EQ(LineError(""), "has no label"); }

TEST(CsvParserTest, SaysWhereALabelBelongs) {
  const std::string last =
      "; the label is the first number of a line, and here it seems to be the last: then set "
      "label_column: \"3\"";
  EXPECT_EQ(AdviceFor("5.1,3.5,2"), last);
  EXPECT_EQ(AdviceFor("5.1, 3.5, 2"), last);
  EXPECT_EQ(AdviceFor("5.1,3.5,iris"), last + " and class_names");
  EXPECT_EQ(AdviceFor("iris,5.1,3.5"), "; write classes as numbers from 0, or set class_names");
  EXPECT_EQ(AdviceFor("5.1,3.5,1.5"), "");
  EXPECT_EQ(AdviceFor("1.0,3.5,1.5"), "; write classes as integers");
}

TEST(CsvParserTest, NamesTheSeparatorThatALineHas) {
  const auto set = [](const std::string& kind, const std::string& name) {
    return StrCat("; the fields seem to be separated by ", kind, ": then set separator: ", name,
                  " (singa data: -separator ", name, ")");
  };
  EXPECT_EQ(AdviceFor("0;1;2"), set("\";\"", "\";\""));
  EXPECT_EQ(AdviceFor("red;1;2"), set("\";\"", "\";\""));
  EXPECT_EQ(AdviceFor("0\t1"), set("tabs", "\"\\t\""));
  EXPECT_EQ(AdviceFor("0 1", ",;"), set("spaces", "\" \""));
  EXPECT_EQ(AdviceFor("0,1;2"), set("\";\"", "\";\""));
  EXPECT_EQ(AdviceFor("0,1,2", "\t"), set("\",\"", "\",\""));
  EXPECT_TRUE(RefusalOf([&] {
                NewCsvParser(StoreOptions{.label_column = "class"},
                             std::vector<std::string>{"a;b;class"});
              }).ends_with("; there are \"a;b;class\"" + set("\";\"", "\";\"")));
}

TEST(CsvParserTest, SaysThatDecimalCommasAreNotRead) {
  const std::string advice = "; decimal commas are not read: write decimal points";
  EXPECT_EQ(AdviceFor("0;2,5", ";"), advice);
  EXPECT_EQ(AdviceFor("0\t-2,5", "\t"), advice);
  EXPECT_EQ(AdviceFor("0,\"2,5\""), advice);
}

TEST(CsvParserTest, ShowsNoControlCharactersAndNoLongText) {
  EXPECT_EQ(NumbersError("Z\u00fcrich"), "number 1 in column 1 is \"Z\u00fcrich\"" + word);
  EXPECT_EQ(NumbersError("\x1b[2J\xFF"), StrCat("number 1 in column 1 is \"?[2J?\"", kSkip));
  EXPECT_EQ(NumbersError(std::string(41, 'x')),
            "number 1 in column 1 is \"" + std::string(40, 'x') + "...\"" + word);
}

TEST(CsvParserTest, TheLabelIsInTheColumnThatIsChosen) {
  const auto parser = NewCsvParser({.label_column = "3"});
  const Sample& sample = parser->Parse("0.5,1,7,2");
  EXPECT_EQ(sample.label, 7);
  EXPECT_EQ(FloatRow(sample.data.begin(), sample.data.end()), (FloatRow{0.5, 1, 2}));
  EXPECT_EQ(parser->LabelOf("0.5,1,7,2"), 7);
  EXPECT_FALSE(parser->LabelOf("0.5,1"));
}

TEST(CsvParserTest, AnEmptyLabelMayBeNone) {
  const StoreOptions options = {.label_fields = LabelFields::kMayBeEmpty, .label_column = "c"};
  const auto parser = NewCsvParser(options, {"a", "b", "c"});
  EXPECT_FALSE(parser->Parse("1,2,").has_label());
  EXPECT_EQ(parser->Parse("1,2,7").label, 7);
  EXPECT_TRUE(RefusalOf([&] { parser->Parse("1,2,?"); })
                  .ends_with("is \"?\"; write classes as numbers from 0; -no_labels leaves labels "
                             "out"));
}

TEST(CsvParserTest, TheColumnsOfLabelsOrTargetsMayBeLeftOut) {
  for (const int64_t targets : {0, 1}) {
    const auto parser = NewCsvParser(
        {.targets = targets, .label_fields = LabelFields::kLeftOut, .label_column = "2"});
    for (const char* line : {"1,?,3", "1,,3", "1,2,3"}) {
      const Sample& sample = parser->Parse(line);
      EXPECT_FALSE(sample.has_label());
      EXPECT_TRUE(sample.targets.empty());
      EXPECT_EQ(FloatRow(sample.data.begin(), sample.data.end()), (FloatRow{1, 3}));
    }
  }
}

TEST(CsvParserTest, TargetsBeginInTheColumnThatIsChosen) {
  const auto parser = NewCsvParser({.targets = 2, .label_column = "b"}, {"a", "b", "c", "d"});
  const Sample& sample = parser->Parse("1,2,3,4");
  EXPECT_EQ(FloatRow(sample.targets.begin(), sample.targets.end()), (FloatRow{2, 3}));
  EXPECT_EQ(FloatRow(sample.data.begin(), sample.data.end()), (FloatRow{1, 4}));
  EXPECT_FALSE(sample.has_label());
}

TEST(CsvParserTest, NamesTheColumnOfABadField) {
  const auto error = [](const StoreOptions& options, const std::string& line,
                        const std::vector<std::string>& names = {}) {
    return RefusalOf([&] { NewCsvParser(options, names)->Parse(line); });
  };
  const std::vector<std::string> names = {"id", "age", "class"};
  EXPECT_EQ(error({.has_label = false}, "1,NA,2", names),
            StrCat("number 2 in column 2 (\"age\") is \"NA\"", kSkip,
                   "; columns { name: \"age\" missing: NUMBER } fills gaps"));
  EXPECT_EQ(error({.has_label = false}, "1,,2", names),
            StrCat("number 2 in column 2 (\"age\") is \"\"", kSkip,
                   "; columns { name: \"age\" missing: NUMBER } fills gaps"));
  EXPECT_EQ(error({.label_column = "class"}, "1,2,red", names),
            "the label in column 3 (\"class\") must be an integer from -2147483647 to 2147483647, "
            "is \"red\"; "
            "write classes as numbers from 0, or set class_names");
  EXPECT_EQ(error({.label_column = "3"}, "1,x,0"),
            StrCat("number 2 in column 2 is \"x\"", kSkip,
                   "; every column but the label must hold numbers, or be described in columns: "
                   "singa data stat prints them"));
  EXPECT_EQ(error({.targets = 2, .label_column = "2"}, "1,2,nan,4"),
            StrCat("target 2 in column 3 is \"nan\"", kSkip));
}

TEST(CsvParserTest, RefusesALineWithoutAllColumns) {
  const auto error = [](const StoreOptions& options, const std::string& line,
                        const std::vector<std::string>& names = {}) {
    return RefusalOf([&] { NewCsvParser(options, names)->Parse(line); });
  };
  for (const char* line : {"1,2", "1,2,3,4", "1,2,3,4,"})
    EXPECT_TRUE(error({}, line, {"a", "b", "c"}).ends_with(", the header 3 columns")) << line;
  EXPECT_EQ(error({.label_column = "4"}, "1,2"),
            "has 2 fields; the label is in column 4 (label_column)");
  EXPECT_EQ(error({.targets = 2, .label_column = "3"}, "1,2,3"),
            "has 3 fields; the 2 targets begin in column 3 (num_targets, label_column)");
}

TEST(CsvParserTest, ALastFieldMayBeEmpty) {
  const auto error = [](const StoreOptions& options, const std::string& line) {
    return RefusalOf([&] { NewCsvParser(options, {"a", "b", "c"})->Parse(line); });
  };
  for (const char* line : {"1,2,", "1,2, \r"})
    EXPECT_TRUE(error({}, line).starts_with("number 2 in column 3 (\"c\") is \"\"")) << line;
  EXPECT_TRUE(error({.label_column = "c"}, "1,2,")
                  .starts_with("the label in column 3 (\"c\") must be an integer"));
  EXPECT_TRUE(error({.separator = "\t", .label_column = "c"}, "1\t2\t\r")
                  .starts_with("the label in column 3 (\"c\") must be an integer"));
  EXPECT_TRUE(error({.separator = " "}, "1 2 ").ends_with(", the header 3 columns"));
}

TEST(CsvParserTest, SaysThatAQuoteDoesNotClose) {
  EXPECT_EQ(NumbersError("1,\"2,3"),
            "number 2 in column 2 is \"\"2,3\"; a quote before a field must close behind it, in "
            "the same line");
}

TEST(CsvParserTest, ANumberInQuotesHasNoSeparators) {
  EXPECT_EQ(NumbersError("\"1,234\",5"),
            "number 1 in column 1 is \"1,234\"; decimal commas are not read: write decimal points");
}

TEST(CsvParserTest, FindsTheLabelAlone) {
  const auto parser = NewCsvParser(",", true);
  EXPECT_EQ(parser->LabelOf(" 5 ,not a number"), 5);
  EXPECT_FALSE(parser->LabelOf("x,1"));
  EXPECT_FALSE(NewCsvParser(",", false)->LabelOf("5,1"));
}

}  // namespace
}  // namespace singa
