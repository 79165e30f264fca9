// Tests SignsInNumber, which finds what keeps a field from being a number.
#include "io/table/number_signs.h"

#include <gtest/gtest.h>

#include "io/refusal.h"
#include "io/table/csv_parser.h"

namespace singa {
namespace {

std::string SignsOf(std::string_view field) { return SignsText(SignsInNumber(field)); }

TEST(NumberSignsTest, CurrenciesPercentsAndCommasAreSigns) {
  for (const char* number : {"$5", "-$5", "$-5", "$ 1e3", "5$", "$.5"})
    EXPECT_EQ(SignsOf(number), "\"$\"") << number;
  EXPECT_EQ(SignsOf("1.5 \xE2\x82\xAC"), "\"\xE2\x82\xAC\"");
  EXPECT_EQ(SignsOf("\xC2\xA3"
                    "7"),
            "\"\xC2\xA3\"");
  EXPECT_EQ(SignsOf("-12 %"), "\"%\"");
  EXPECT_EQ(SignsOf("$1,234.5"), "\"$\" and \",\"");
  EXPECT_EQ(SignsOf("2,5%"), "\"%\" and \",\"");
}

TEST(NumberSignsTest, ACommaIsAPointOrDividesThousands) {
  for (const char* number : {"1,234", "-12,345.67", "1,234,567", "0,5", "1.234,56", "123456,7"})
    EXPECT_EQ(SignsOf(number), "\",\"") << number;
  for (const char* other : {"1,2,3", "1,23.5", "1234,567.8", ",5", "5,", "1,234.5.6", "1.234.567"})
    EXPECT_EQ(SignsOf(other), "") << other;
}

TEST(NumberSignsTest, NumbersAndWordsHaveNone) {
  for (const char* other : {"", "5", "-5", "+.5", "1e5", "$", "%", "-", "x", "$x", "5 m", "#5%",
                            "--2,5", "A%5", "inf%", "2024-01-02", "12:30"})
    EXPECT_EQ(SignsOf(other), "") << other;
}

TEST(NumberSignsTest, ErrorsOfLinesNameThem) {
  const auto error = [](const std::string& line, const std::string& separator) {
    return RefusalOf([&] { NewCsvParser(separator, false)->Parse(line); });
  };
  EXPECT_EQ(error("1,\"$1,234\"", ","),
            "number 2 in column 2 is \"$1,234\"; write numbers such as 1234.5, without \"$\" and "
            "\",\"");
  EXPECT_EQ(error("5%;2", ";"),
            "number 1 in column 1 is \"5%\"; write numbers such as 1234.5, without \"%\"");
  EXPECT_NE(error("100,200,255", ";").find("seem to be separated by \",\""), std::string::npos);
}

}  // namespace
}  // namespace singa
