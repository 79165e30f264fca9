// Tests the form of rows, and which rows stay. pending_file_test.cc tests faults of the disk.
#include "io/metrics/metrics_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using Rows = std::vector<std::string>;

class MetricsRowsTest : public ::testing::Test {
 protected:
  Rows Lines() const {
    std::istringstream text(TempDir::Read(path_));
    Rows lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  // Returns the lines that stay if the groups continue at these steps.
  Rows Kept(const std::string& text, const std::vector<int64_t>& first_steps) {
    folder_.Write("metrics.jsonl", text);
    MetricsFile({&files_, folder_.path(), first_steps}).Sync();
    return Lines();
  }
  static std::string Row(int64_t step, int group = 0) {
    return StrCat("{\"step\":", step, ",\"group\":", group, "}");
  }

  TempDir folder_;
  PosixFileSystem files_;
  const std::string path_ = folder_.Path("metrics.jsonl");
};

TEST_F(MetricsRowsTest, ARowIsOneJsonObject) {
  MetricsFile file({&files_, folder_.path()});
  file.Write({{.phase = "train",
               .step = 7,
               .group = 1,
               .layer = "lo\"ss",
               .metrics = {{"loss", 0.5}, {"worst", std::nan("")}},
               .values = {{"norm", -INFINITY}}},
              {.phase = "process",
               .layer = "",
               .host = "h",
               .pid = 3,
               .staleness = {2, 1},
               .bad_records = 4}});
  file.Sync();
  const Rows lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  nlohmann::json first = nlohmann::json::parse(lines[0]), second = nlohmann::json::parse(lines[1]);
  EXPECT_GT(first["time"], 1e9);
  first.erase("time");
  EXPECT_EQ(first, nlohmann::json::parse(R"({"phase": "train", "step": 7, "group": 1,
      "layer": "lo\"ss", "loss": 0.5, "worst": "nan", "norm": "-inf"})"));
  second.erase("time");
  EXPECT_EQ(second, nlohmann::json::parse(R"({"phase": "process", "step": 0, "group": 0,
      "layer": "", "host": "h", "pid": 3, "staleness": [2, 1], "bad_records": 4})"));
}

TEST_F(MetricsRowsTest, BytesThatAreNoTextAreReplaced) {
  MetricsFile file({&files_, folder_.path()});
  file.Write({{.phase = "train", .layer = "a\xff"}});
  file.Sync();
  EXPECT_EQ(nlohmann::json::parse(Lines().at(0))["layer"], "a\xef\xbf\xbd");
}

TEST_F(MetricsRowsTest, RowsFromWhereAGroupGoesOnAreRemoved) {
  const std::string rows = Row(0) + "\n" + Row(0, 1) + "\n" + Row(5) + "\n" + Row(5, 1) + "\n";
  EXPECT_EQ(Kept(rows, {5, 6}), (Rows{Row(0), Row(0, 1), Row(5, 1)}));
  EXPECT_EQ(Kept(rows, {0}), Rows());
  EXPECT_EQ(Kept(rows, {9}), (Rows{Row(0), Row(5)}));  // the second group no longer exists
}

TEST_F(MetricsRowsTest, LinesOfOthersStay) {
  const std::string others = "# a note\n[1, 2]\n{\"event\":\"x\"}\n";
  EXPECT_EQ(Kept(others + Row(9) + "\n", {5}), (Rows{"# a note", "[1, 2]", "{\"event\":\"x\"}"}));
}

TEST_F(MetricsRowsTest, ALastRowWithoutANewlineGetsOne) {
  EXPECT_EQ(Kept(Row(9) + "\n" + Row(1), {5}), (Rows{Row(1)}));
  EXPECT_EQ(Kept(Row(1) + "\n" + Row(2).substr(0, 9), {5}), (Rows{Row(1)}));
}

TEST_F(MetricsRowsTest, ALineLongerThanAllRowsStaysUnlessItHasZeros) {
  const std::string others(3 << 20, 'x');
  folder_.Write("metrics.jsonl", Row(1) + "\n");
  std::filesystem::resize_file(path_, int64_t{1} << 28);  // zeros, as a loss of power leaves them
  MetricsFile({&files_, folder_.path(), std::vector<int64_t>{5}}).Sync();
  EXPECT_EQ(Lines(), Rows{Row(1)});
  EXPECT_EQ(Kept(Row(9) + "\n" + others + "\n" + Row(2) + "\n", {5}), (Rows{others, Row(2)}));
}

TEST_F(MetricsRowsTest, WithoutStepsAllRowsStayAndNewOnesFollow) {
  folder_.Write("metrics.jsonl", Row(3) + "\n");
  MetricsFile file({&files_, folder_.path()});
  file.Write({{.phase = "test", .step = 1, .layer = ""}});
  file.Sync();
  ASSERT_EQ(Lines().size(), 2u);
  EXPECT_EQ(Lines()[0], Row(3));
}

}  // namespace
}  // namespace singa
