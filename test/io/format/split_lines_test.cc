// Tests how the records of a text are divided at random into two texts.
#include "io/format/split_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns lines "0,A", "1,A", ... of so many records whose class is A.
std::string RecordsOf(const std::string& a, int from, int count) {
  std::string text;
  for (int i = from; i < from + count; ++i) text += StrCat(i, ",", a, "\n");
  return text;
}

class SplitLinesTest : public ::testing::Test {
 protected:
  // Divides the text, and replaces the two texts of the last call.
  void Split(const std::string& text, const SplitOptions& options) {
    for (const std::string& path : {train_, test_}) std::filesystem::remove(path);
    counts_ = SplitLines(dir_.Write("all.csv", text), options, train_, test_, &files_);
  }
  std::string Train() const { return TempDir::Read(train_); }
  std::string Test() const { return TempDir::Read(test_); }
  int64_t Files() const {
    return std::distance(std::filesystem::directory_iterator(dir_.path()), {});
  }

  TempDir dir_;
  PosixFileSystem files_;
  SplitCounts counts_;
  const std::string train_ = dir_.Path("train.csv"), test_ = dir_.Path("test.csv");
};

TEST_F(SplitLinesTest, EachRecordGoesToOneTextAndTheNumbersAreExact) {
  const std::string text = RecordsOf("a", 0, 50);
  Split(text, {.test = 0.3});
  EXPECT_EQ(counts_.train, 35);
  EXPECT_EQ(counts_.test, 15);
  size_t train = 0, test = 0;  // places of the next lines
  for (size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) + 1 - at);
    at += line.size();
    if (Train().substr(train, line.size()) == line)
      train += line.size();
    else if (Test().substr(test, line.size()) == line)
      test += line.size();
    else
      ADD_FAILURE() << line;
  }
  EXPECT_EQ(train, Train().size());
  EXPECT_EQ(test, Test().size());
}

TEST_F(SplitLinesTest, TheSeedDeterminesTheChoice) {
  const std::string text = RecordsOf("a", 0, 50);
  Split(text, {.seed = 1});
  const std::string first = Test();
  Split(text, {.seed = 1});
  EXPECT_EQ(Test(), first);
  Split(text, {.seed = 2});
  EXPECT_NE(Test(), first);
}

TEST_F(SplitLinesTest, BothTextsGetTheHeaderWithItsLineBreaks) {
  const std::string header = "\"width,\ncm\",class\r\n";
  Split("\xEF\xBB\xBF\n" + header + "1,0\r\n\n,,\n2,1", {.header = true, .test = 0.5});
  std::vector<std::string> texts = {Train(), Test()};
  std::ranges::sort(texts);
  EXPECT_EQ(texts, (std::vector<std::string>{header + "1,0\r\n", header + "2,1\n"}));
}

TEST_F(SplitLinesTest, AFieldInQuotesStaysWhole) {
  const std::string record = "\"a\n\"\"b\"\"\n\nc\",1\n";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Split(record + record, {.test = 0.5, .seed = seed});
    EXPECT_EQ(Train(), record);
    EXPECT_EQ(Test(), record);
  }
}

TEST_F(SplitLinesTest, EachClassIsDividedByItself) {
  const std::string text =
      "id,species\n" + RecordsOf("setosa", 0, 20) + RecordsOf("\"versicolor\"", 20, 10);
  Split(text, {.header = true, .by_class = true, .label_column = "species", .test = 0.1});
  EXPECT_EQ(counts_.test, 3);
  const std::string test = Test();
  EXPECT_NE(test.find("versicolor"), std::string::npos) << test;
  EXPECT_EQ(test.find("versicolor"), test.rfind("versicolor")) << test;
}

TEST_F(SplitLinesTest, TheClassOfAListedPictureIsItsLastField) {
  const std::string cats = "\"my cat.jpg 0\nb c.jpg 0\n", dogs = "d.jpg 1\ne.jpg 1\n";
  Split(cats + dogs, {.table = false, .by_class = true, .test = 0.5});
  for (const std::string& text : {Train(), Test()}) {
    EXPECT_EQ(std::ranges::count(text, '\n'), 2);
    EXPECT_NE(text.find(" 0\n"), std::string::npos) << text;
    EXPECT_NE(text.find(" 1\n"), std::string::npos) << text;
  }
}

TEST_F(SplitLinesTest, AnErrorNamesTheLineAndLeavesNoFile) {
  const std::string all = dir_.Path("all.csv");
  EXPECT_ERROR(Split("1,2\n3,\"4\n5,6\n", {}), kExitBadData,
               all + ":2: a quote before a field does not close behind it");
  EXPECT_ERROR(Split("1,2\n,3\n", {.by_class = true}), kExitBadData, all + ":2: has no label");
  EXPECT_ERROR(Split("a,b\n1,2\n3,4\n", {.header = true, .by_class = true, .label_column = "c"}),
               kExitBadData, all + ":1: the header has no column \"c\"");
  EXPECT_ERROR(
      Split("1," + std::string(300, 'x') + "\n2,a\n", {.by_class = true, .label_column = "2"}),
      kExitBadData, all + ":1: has a label of more than 200 bytes");
  EXPECT_ERROR(Split("a,b\n1,2\n3,4\n", {}), kExitBadData,
               all +
                   ":1: is no record; is this line a header? Then set header: true (singa data: "
                   "-header)");
  EXPECT_ERROR(Split("1,2\n", {}), kExitBadData,
               all + ": has 1 record; a share of 0.2 leaves no record for the test");
  EXPECT_EQ(Files(), 1);
}

TEST_F(SplitLinesTest, NoFileIsReplaced) {
  dir_.Write("test.csv", "old");
  EXPECT_ERROR(SplitLines(dir_.Write("all.csv", "1,2\n3,4\n"), {}, train_, test_, &files_),
               kExitCantCreate, test_ + ": exists already");
  EXPECT_EQ(Test(), "old");
  EXPECT_EQ(Files(), 2);
}

}  // namespace
}  // namespace singa
