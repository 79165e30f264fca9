// Tests backend "textfile": lines of CSV, and records in text form.
#include <gtest/gtest.h>

#include "io/store/store.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class Csv : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& text, bool has_label = true,
                              const std::string& separator = ",") {
    return OpenStore("textfile", {.path = dir_.Write("a.csv", text),
                                  .format = ValueFormat::kCsv,
                                  .separator = separator,
                                  .has_label = has_label});
  }
  std::vector<float> Numbers(const std::string& line, const std::string& separator = ",") {
    const auto store = Open(line, false, separator);
    const auto data = store->Read(0).data;
    return {data.begin(), data.end()};
  }

  // Returns the error's text behind the folder.
  template <typename Call>
  std::string ErrorOf(const Call& call) {
    try {
      call();
    } catch (const DataError& error) {
      const std::string text = error.what();
      return text.substr(text.find("a.csv"));
    }
    return "none";
  }

  TempDir dir_;
};

TEST_F(Csv, ANameInTheHeaderMayContainLineBreaks) {
  const auto open = [&](const std::string& text, bool first_alone) {
    return OpenStore("textfile", {.path = dir_.Write("a.csv", text),
                                  .format = ValueFormat::kCsv,
                                  .header = true,
                                  .label_column = "height\n\n(\"cm\")",
                                  .first_alone = first_alone});
  };
  const std::string text = "width,\"height\n\n(\"\"cm\"\")\",age\r\n1,2,3\n4,5,6\n";
  for (const bool first_alone : {false, true}) {
    const auto store = open(text, first_alone);
    EXPECT_EQ(store->size(), first_alone ? 1 : 2);
    EXPECT_EQ(store->Read(0).label, 2);
    EXPECT_EQ(store->Read(0).data[1], 3);
  }
  const std::string blank_lines(2 << 20, '\n');
  for (const std::string& broken :
       {std::string("a,\"b\n1,2\n3,4\n"), std::string("\"a"), "\"a" + blank_lines + "b\"\n1\n"})
    EXPECT_EQ(ErrorOf([&] { open(broken, false); }),
              "a.csv:1: the header has a quote before a name, and none behind it");
}

TEST_F(Csv, HasALabelBeforeTheNumbers) {
  const auto store = Open("3,0.5,-1e-3\n12,7,8\n");
  ASSERT_EQ(store->size(), 2);
  EXPECT_EQ(store->Read(1).label, 12);
  const Sample& first = store->Read(0);
  EXPECT_EQ(first.label, 3);
  EXPECT_EQ(first.data[1], -1e-3f);
}

TEST_F(Csv, HasOnlyNumbersWithoutLabels) {
  EXPECT_EQ(Numbers("1,2,3"), (std::vector<float>{1, 2, 3}));
}

TEST_F(Csv, AcceptsSpacesCrLfAndBlankLines) {
  const auto store = Open("1, 2 ,\t3\r\n\r\n \n4 , 5,6 \r\n\n");
  ASSERT_EQ(store->size(), 2);
  EXPECT_EQ(store->Read(1).label, 4);
  EXPECT_EQ(store->Read(1).data[1], 6);
}

TEST_F(Csv, ALineOfSeparatorsAloneIsNoRecord) {
  const auto store = Open(",,\n1,2,3\n,, \r\n4,5,6\n,,");
  ASSERT_EQ(store->size(), 2);
  EXPECT_EQ(store->Read(1).label, 4);
}

TEST_F(Csv, NamesTheLineOfABadNumber) {
  EXPECT_ERROR(Open("1,2\n\n3,x\n")->Read(1), kExitBadData,
               dir_.Path("a.csv") + ":3:", "number 1 in column 2 is \"x\"");
}

TEST_F(Csv, GivesANegativeLabel) {
  const auto store = Open("-1,2\n-100,3\n");
  EXPECT_EQ(store->Read(0).label, -1);
  EXPECT_TRUE(store->Read(0).has_label());
  EXPECT_EQ(store->Read(1).label, -100);
}

TEST_F(Csv, AsksWhetherTheFirstLineIsAHeader) {
  const std::string advice = "; is this line a header? Then set header: true (singa data: -header)";
  EXPECT_EQ(ErrorOf([&] { Open("label,a\n0,1\n")->Read(0); }),
            "a.csv:1: record 0: the label must be an integer from -2147483647 to 2147483647, is "
            "\"label\"" +
                advice);
  for (const char* text : {"0.5,a\n0,1\n", "x,1\n0,1\n"})
    EXPECT_EQ(ErrorOf([&] { Open(text)->Read(0); }).find("header"), std::string::npos);
  EXPECT_EQ(ErrorOf([&] { Open("0,1\nlabel,a\n")->Read(1); }).find("header"), std::string::npos);
}

TEST_F(Csv, ReadsPastAByteOrderMark) {
  const auto store = Open(
      "\xEF\xBB\xBF"
      "7,1\n8,2\n");
  ASSERT_EQ(store->size(), 2);
  EXPECT_EQ(store->Read(0).label, 7);
  const auto records = OpenStore("textfile", {.path = dir_.Write("b.csv",
                                                                 "\xEF\xBB\xBF"
                                                                 "7,1\n")});
  EXPECT_EQ(records->Read(0).label, 7);
}

TEST_F(Csv, NamesAnEncodingThatIsNotRead) {
  for (const char* mark : {"\xFF\xFE", "\xFE\xFF"})
    EXPECT_EQ(ErrorOf([&] { Open(std::string(mark) + "1,2\n"); }),
              "a.csv: is text in UTF-16; save it as UTF-8");
}

TEST_F(Csv, NamesAWorkbook) {
  for (const char* mark : {"PK\x03\x04", "\xD0\xCF\x11\xE0"})
    EXPECT_EQ(ErrorOf([&] { Open(std::string(mark) + "1,2\n"); }),
              "a.csv: is no text, but a zip file or a workbook, such as .xlsx, .ods or .xls; save "
              "it as CSV");
}

TEST_F(Csv, ReadsNumbersInQuotes) {
  const std::string line = "\"3\", \"0.5\" ,\" -2 \"\r\n";
  for (const ValueFormat format : {ValueFormat::kCsv, ValueFormat::kRecord}) {
    const auto store = OpenStore("textfile", {.path = dir_.Write("q.csv", line), .format = format});
    const Sample& sample = store->Read(0);
    EXPECT_EQ(sample.label, 3);
    EXPECT_EQ(std::vector<float>(sample.data.begin(), sample.data.end()),
              (std::vector<float>{0.5f, -2}));
  }
  EXPECT_NE(ErrorOf([&] { Open("\"label\",\"a b\"\n")->Read(0); }).find("a header?"),
            std::string::npos);
}

TEST_F(Csv, AHeaderIsNoRecordAndNamesTheColumns) {
  const std::string text = "\xEF\xBB\xBF\"age\",\"size, cm\",class\r\n30,1.5,1\r\n40,2.5,0\r\n";
  for (const ValueFormat format : {ValueFormat::kCsv, ValueFormat::kRecord})
    for (const bool first_alone : {false, true}) {
      const auto store = OpenStore("textfile", {.path = dir_.Write("a.csv", text),
                                                .format = format,
                                                .header = true,
                                                .label_column = "class",
                                                .first_alone = first_alone});
      EXPECT_EQ(store->size(), first_alone ? 1 : 2);
      EXPECT_EQ(store->Read(0).label, 1);
      EXPECT_EQ(store->Read(0).data[1], 1.5f);
      EXPECT_NE(store->Where(0).find("a.csv:2: record 0"), std::string::npos);
    }
}

TEST_F(Csv, ABadFieldIsNamedByLineAndColumn) {
  const StoreOptions options = {.path = dir_.Write("a.csv", "age,size\n30,1\n31,NA\n"),
                                .format = ValueFormat::kCsv,
                                .has_label = false,
                                .header = true};
  EXPECT_EQ(
      ErrorOf([&] { OpenStore("textfile", options)->Read(1); }),
      "a.csv:3: record 1: number 2 in column 2 (\"size\") is \"NA\"; on_bad_record: kSkip (singa "
      "data: -max_bad N) leaves such records out; columns { name: \"size\" missing: NUMBER } fills "
      "gaps");
}

TEST_F(Csv, RefusesAHeaderWithoutTheColumnOrARecord) {
  const auto open = [&](const std::string& text, const std::string& column) {
    return ErrorOf([&] {
      OpenStore("textfile", {.path = dir_.Write("a.csv", text),
                             .format = ValueFormat::kCsv,
                             .header = true,
                             .label_column = column});
    });
  };
  EXPECT_EQ(open("\nage,class\n1,2\n", "klass"),
            "a.csv:2: the header has no column \"klass\"; did you mean \"class\"?");
  EXPECT_EQ(open("age,class\n", "class"), "a.csv: holds no record behind its header");
  EXPECT_EQ(open("", "class"), "a.csv: holds no record behind its header");
}

TEST_F(Csv, NamesLinesThatEndWithReturnsAlone) {
  const std::string returns = "lines seem to end with \\r alone; end them with \\n";
  for (const char* text : {"age,class\r1,2\r3,4\r", "\nage,class\r1,2"})
    EXPECT_TRUE(ErrorOf([&] {
                  OpenStore("textfile", {.path = dir_.Write("a.csv", text),
                                         .format = ValueFormat::kCsv,
                                         .header = true});
                }).ends_with(": " + returns));
  EXPECT_EQ(ErrorOf([&] { Open("1,2\r3,4\r")->Read(0); }),
            "a.csv:1: record 0: number 1 in column 2 is \"2?3\"; " + returns);
}

TEST_F(Csv, GivesTheNamesOfNumbersThenOfTargets) {
  using Columns = std::vector<std::string>;
  StoreOptions options = {.path = dir_.Write("a.csv", "a,b,c,d\n1,2,3,4\n"),
                          .format = ValueFormat::kCsv,
                          .header = true,
                          .label_column = "b"};
  EXPECT_EQ(OpenStore("textfile", options)->columns(), (Columns{"a", "c", "d"}));
  options.targets = 2;
  EXPECT_EQ(OpenStore("textfile", options)->columns(), (Columns{"a", "d", "b", "c"}));
  options.targets = 0;
  options.has_label = false;
  EXPECT_EQ(OpenStore("textfile", options)->columns(), (Columns{"a", "b", "c", "d"}));
  EXPECT_TRUE(Open("1,2\n")->columns().empty());
}

TEST_F(Csv, ReadsTheFirstRecordAlone) {
  const auto store = OpenStore("textfile", {.path = dir_.Write("a.csv", "\n1,2\n3,4\n"),
                                            .format = ValueFormat::kCsv,
                                            .first_alone = true});
  EXPECT_EQ(store->size(), 1);
  EXPECT_EQ(store->Read(0).label, 1);
}

TEST_F(Csv, RefusesAFileWithoutALine) {
  EXPECT_ERROR(Open(""), kExitBadData, "no record");
  EXPECT_ERROR(Open("\n \r\n"), kExitBadData, "no record");
}

// Lines are longer than the window of the scan, and end at its edges.
TEST_F(Csv, FindsLinesOfAnyLength) {
  std::string text;
  const std::vector<size_t> lengths = {65535, 65536, 65537, 2, 131072, 200000, 3};
  for (size_t n : lengths) text += "1," + std::string(n, '7').replace(1, 1, ".") + "\n";
  const auto store = Open(text);
  ASSERT_EQ(store->size(), static_cast<int64_t>(lengths.size()));
  for (int64_t i = 0; i < store->size(); ++i) EXPECT_GE(store->Read(i).data[0], 7);
}

class TextRecords : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& text) {
    return OpenStore("textfile", {.path = dir_.Write("a", text)});
  }
  TempDir dir_;
};

TEST_F(TextRecords, AreInTextForm) {
  const auto store = Open("label: 2 data: 0.5 data: 1\nshape: 2 data: [3, 4]\n");
  EXPECT_EQ(store->Read(0).label, 2);
  EXPECT_EQ(store->Read(1).data[1], 4);
  EXPECT_FALSE(store->Read(1).has_label());
}

TEST_F(TextRecords, AreInBinaryFormAsV03WroteThem) {
  const auto store = Open(Pixels(3, "ab") + "\n" + Floats({1, 2}) + "\n");
  EXPECT_EQ(store->Read(0).label, 3);
  EXPECT_EQ(store->Read(1).data[1], 2);
}

TEST_F(TextRecords, AreCsv) { EXPECT_EQ(Open("5,0.25\n")->Read(0).data[0], 0.25f); }

TEST_F(TextRecords, NameLineAndColumnOfAnError) {
  EXPECT_ERROR(Open("label: 2\nlabel: x\n")->Read(1), kExitBadData, ":2:", "column 8");
}

}  // namespace
}  // namespace singa
