#include "io/metrics/read_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/temp_dir.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

std::string RowOf(int step, const std::string& layer = "l") {
  return StrCat(R"({"time":5,"phase":"train","step":)", step, R"(,"group":0,"layer":")", layer,
                R"(","loss":1})");
}

std::vector<int64_t> StepsIn(const std::string& text) {
  const TempDir dir;
  dir.Write("metrics.jsonl", text);
  std::vector<int64_t> steps;
  ReadRows(dir.Path("metrics.jsonl"),
           [&](const MetricsRow& row, double) { steps.push_back(row.step); });
  return steps;
}

TEST(ReadRows, TakesALastRowWithoutANewline) {
  EXPECT_EQ(StepsIn(RowOf(1) + "\n# a note\n\n" + RowOf(2)), (std::vector<int64_t>{1, 2}));
}

TEST(ReadRows, LeavesOutStepsThatAreTooLarge) {
  std::string large = RowOf(7);
  large.replace(large.find('7'), 1, "9223372036854775808");
  EXPECT_EQ(StepsIn(large + "\n" + RowOf(2)), std::vector<int64_t>{2});
}

TEST(ReadRows, LeavesOutLinesThatAreLongerThanARowMayBe) {
  const auto long_line = [](int step, int64_t bytes) {
    return RowOf(step, std::string(static_cast<size_t>(bytes) - RowOf(step, "").size(), 'x'));
  };
  EXPECT_EQ(StepsIn(RowOf(1) + "\n" + long_line(2, kMostRowBytes + 1) + "\n" +
                    long_line(3, kMostRowBytes) + "\n" + RowOf(4) + "\n" +
                    long_line(5, 3 * kMostRowBytes)),
            (std::vector<int64_t>{1, 3, 4}));
}

}  // namespace
}  // namespace singa
