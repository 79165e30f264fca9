#include "driver/board/row_index.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

std::string TrainLine(int64_t step, const std::string& rest = "") {
  return StrCat(R"({"phase":"train","step":)", step, rest, "}\n");
}

class RowIndexTest : public testing::Test {
 protected:
  void Append(const std::string& text) {
    std::ofstream(dir_.Path("metrics.jsonl"), std::ios::app) << text;
    index_.Update();
  }
  void Replace(const std::string& text) {
    dir_.Write("metrics.jsonl", text);
    index_.Update();
  }
  std::string Line(int64_t row) { return index_.Lines({row})[0] + "\n"; }

  const TempDir dir_;
  const WorkspaceFiles files_{dir_.path()};
  RowIndex index_{&files_};
};

TEST_F(RowIndexTest, AWorkspaceWithoutRowsHasNone) {
  index_.Update();
  EXPECT_EQ(index_.rows(), 0);
}

TEST_F(RowIndexTest, ReadsRowsAsTheyCome) {
  Append(TrainLine(0) + TrainLine(1));
  Append(TrainLine(2));
  ASSERT_EQ(index_.rows(), 3);
  EXPECT_EQ(Line(1), TrainLine(1));
  EXPECT_EQ(Line(2), TrainLine(2));
  EXPECT_EQ(index_.Lines({0, 2}).size(), 2U);
}

TEST_F(RowIndexTest, ARowThatIsHalfWrittenWaitsForItsEnd) {
  const std::string row = TrainLine(1);
  Append(TrainLine(0) + row.substr(0, 9));
  EXPECT_EQ(index_.rows(), 1);
  Append(row.substr(9));
  ASSERT_EQ(index_.rows(), 2);
  EXPECT_EQ(Line(1), row);
}

TEST_F(RowIndexTest, CountsLinesThatAreNoRowsAndGoesOn) {
  Append("nonsense\n\n" + TrainLine(5) + "{\"a\":1}\n");
  EXPECT_EQ(index_.rows(), 1);
  EXPECT_EQ(index_.malformed(), 2);
  EXPECT_EQ(Line(0), TrainLine(5));
}

TEST_F(RowIndexTest, ALineWithoutEndTakesNoMemory) {
  Append(std::string(size_t{6} << 20, 'x'));
  Append("\n" + TrainLine(1));
  EXPECT_EQ(index_.rows(), 1);
  EXPECT_EQ(index_.malformed(), 1);
  EXPECT_EQ(Line(0), TrainLine(1));
}

TEST_F(RowIndexTest, StartsAgainWhenTheFileIsCutBack) {
  Append(TrainLine(0) + TrainLine(1) + TrainLine(2));
  const int64_t before = index_.generation();
  Replace(TrainLine(0));
  EXPECT_EQ(index_.rows(), 1);
  EXPECT_NE(index_.generation(), before);
}

TEST_F(RowIndexTest, NoticesACutFileThatHasGrownAgain) {
  Append(TrainLine(0, R"(,"time":1)") + TrainLine(1, R"(,"time":2)"));
  const int64_t before = index_.generation();
  Replace(TrainLine(0, R"(,"time":1)") + TrainLine(1, R"(,"time":3)") +
          TrainLine(2, R"(,"time":4)"));
  EXPECT_NE(index_.generation(), before);
  EXPECT_EQ(index_.rows(), 3);
  EXPECT_EQ(Line(1), TrainLine(1, R"(,"time":3)"));
}

TEST_F(RowIndexTest, ForgetsRowsOfAFileThatIsRemoved) {
  Append(TrainLine(0));
  std::filesystem::remove(dir_.Path("metrics.jsonl"));
  index_.Update();
  EXPECT_EQ(index_.rows(), 0);
}

TEST_F(RowIndexTest, AddsUpTheBytesOfASeries) {
  Append(TrainLine(0, R"(,"bytes_sent":10)") + TrainLine(1, R"(,"bytes_sent":5)"));
  ASSERT_EQ(index_.series().size(), 1U);
  EXPECT_EQ(index_.series()[0].bytes_sent, 15);
  EXPECT_EQ(index_.series()[0].newest, 1);
}

TEST_F(RowIndexTest, KeepsARowForEachSetOfFields) {
  Append(TrainLine(0) + TrainLine(1) + TrainLine(2, R"(,"lr":1)") + TrainLine(3, R"(,"lr":2)") +
         TrainLine(4, R"(,"loss":1)"));
  EXPECT_EQ(index_.series()[0].samples, (std::vector<int64_t>{0, 2, 4}));
}

TEST_F(RowIndexTest, ReturnsAtMost64MiBOfLines) {
  const std::string line = TrainLine(0, R"(,"x":")" + std::string(1'000'000, 'x') + '"');
  for (int i = 0; i < 70; ++i) Append(line);
  std::vector<int64_t> rows(70);
  std::iota(rows.begin(), rows.end(), int64_t{0});
  const size_t lines = index_.Lines(rows).size();
  EXPECT_GT(lines, 60U);
  EXPECT_LT(lines, 70U);
}

TEST_F(RowIndexTest, DoesNotFollowALink) {
  dir_.Write("elsewhere", TrainLine(0));
  std::filesystem::create_symlink(dir_.Path("elsewhere"), dir_.Path("metrics.jsonl"));
  EXPECT_ERROR(index_.Update(), kExitCantCreate, "is a link");
}

}  // namespace
}  // namespace singa
