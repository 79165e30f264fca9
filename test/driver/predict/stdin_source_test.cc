// Tests records that come from standard input. Each has two numbers.
#include "driver/predict/stdin_source.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa::stdin_source {
namespace {

using Texts = std::vector<std::string>;

class StdinSourceTest : public testing::Test {
 protected:
  ~StdinSourceTest() override { EXPECT_TRUE(std::freopen("/dev/null", "r", stdin)); }

  // Returns the place, label and numbers of each record of this text.
  Texts RecordsOf(const std::string& text, const StoreOptions& lines = {}) const {
    EXPECT_TRUE(std::freopen(dir_.Write("stdin", text).c_str(), "r", stdin));
    const std::unique_ptr<RecordSource> source = NewStdinSource(lines, 2);
    Texts records;
    while (const Sample* const sample = source->Next()) {
      std::string record = source->Name() + (sample->has_label() ? StrCat(" ", sample->label) : "");
      for (const float number : sample->data) record += StrCat(" ", number);
      records.push_back(record);
    }
    return records;
  }

  const TempDir dir_;
};

TEST_F(StdinSourceTest, BlankLinesAreNoRecords) {
  EXPECT_EQ(RecordsOf("3,4\n\n \t\r\n5,6"), (Texts{"-:0 3 4", "-:1 5 6"}));
  EXPECT_EQ(RecordsOf("3,4\n,\n5,6\n"), (Texts{"-:0 3 4", "-:1 5 6"}));
  EXPECT_EQ(RecordsOf("\n"), Texts{});
}

TEST_F(StdinSourceTest, AFirstLineWithOneNumberMoreMeansLabels) {
  EXPECT_EQ(RecordsOf("1,3,4\n0,5,6\n"), (Texts{"-:0 1 3 4", "-:1 0 5 6"}));
}

TEST_F(StdinSourceTest, AMarkOfUtf8IsLeftOut) {
  EXPECT_EQ(RecordsOf("\xEF\xBB\xBF"
                      "3,4\n"),
            Texts{"-:0 3 4"});
}

TEST_F(StdinSourceTest, AHeaderIsLeftOutIfItIsThere) {
  StoreOptions lines;
  lines.header = true;
  EXPECT_EQ(RecordsOf("a,b\n3,4\n", lines), Texts{"-:0 3 4"});
  EXPECT_EQ(RecordsOf("3,4\n5,6\n", lines), (Texts{"-:0 3 4", "-:1 5 6"}));
}

TEST_F(StdinSourceTest, AHeaderSaysWhichColumnHasTheLabel) {
  StoreOptions lines;
  lines.header = true;
  lines.label_column = "class";
  EXPECT_EQ(RecordsOf("a,class,b\n3,2,4\n", lines), Texts{"-:0 2 3 4"});
}

TEST_F(StdinSourceTest, TheLabelColumnOfAHeaderMayBeEmptyOrLeftOut) {
  StoreOptions lines;
  lines.header = true;
  lines.label_column = "class";
  EXPECT_EQ(RecordsOf("a,class,b\n3,,4\n5,2,6\n", lines), (Texts{"-:0 3 4", "-:1 2 5 6"}));
  lines.has_label = false;
  EXPECT_EQ(RecordsOf("a,class,b\n3,?,4\n", lines), Texts{"-:0 3 4"});
}

TEST_F(StdinSourceTest, LabelsMayBeWords) {
  StoreOptions lines;
  lines.class_names = {"cat", "dog"};
  EXPECT_EQ(RecordsOf("dog,3,4\ncat,5,6\n", lines), (Texts{"-:0 1 3 4", "-:1 0 5 6"}));
  EXPECT_EQ(RecordsOf("3,4\n", lines), Texts{"-:0 3 4"});
  EXPECT_ERROR(RecordsOf("cow,3,4\n", lines), kExitBadData,
               "must be one of class_names, \"cat\", \"dog\", is \"cow\"");
  lines.has_label = false;
  EXPECT_EQ(RecordsOf("cow,3,4\n", lines), Texts{"-:0 3 4"});
}

TEST_F(StdinSourceTest, AWrongLineIsNamed) {
  EXPECT_ERROR(RecordsOf("3,4\n\n5\n"), kExitBadData,
               "standard input:3: record 1: ", "holds 1 number, the net takes 2");
  EXPECT_ERROR(RecordsOf("3,x\n"), kExitBadData, "standard input:1: record 0: ");
  EXPECT_ERROR(RecordsOf("a,b\n3,4\n"), kExitBadData, "is this line a header?");
}

}  // namespace
}  // namespace singa::stdin_source
