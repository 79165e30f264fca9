#include "driver/board/choose_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace singa {
namespace {

constexpr float kNoLoss = std::numeric_limits<float>::quiet_NaN();

std::vector<IndexedRow> SeriesOf(int64_t n, float loss) {
  return std::vector<IndexedRow>(static_cast<size_t>(n), {0, 0, loss});
}

bool IsChosen(const ChosenRows& chosen, int64_t row) {
  return std::binary_search(chosen.rows.begin(), chosen.rows.end(), row);
}

TEST(ChooseRowsTest, KeepsAllRowsOfAShortSeries) {
  const ChosenRows chosen = ChooseRows(SeriesOf(10, 1), 4, 1, 6);
  EXPECT_EQ(chosen.rows, (std::vector<int64_t>{4, 5, 6, 7, 8, 9}));
  EXPECT_FALSE(chosen.thinned);
}

TEST(ChooseRowsTest, KeepsSpikesAndTheNewestRowOfALongSeries) {
  std::vector<IndexedRow> rows = SeriesOf(100'000, 1);
  rows[54'321].loss = 9;
  rows[77'777].loss = -9;
  const ChosenRows chosen = ChooseRows(rows, 0, 1, 100);
  EXPECT_TRUE(chosen.thinned);
  EXPECT_LE(chosen.rows.size(), 100U);
  EXPECT_GE(chosen.rows.size(), 40U);
  EXPECT_TRUE(IsChosen(chosen, 54'321));
  EXPECT_TRUE(IsChosen(chosen, 77'777));
  EXPECT_TRUE(IsChosen(chosen, 99'999));
}

TEST(ChooseRowsTest, ThinsASeriesWithoutLossesEvenly) {
  const ChosenRows chosen = ChooseRows(SeriesOf(1000, kNoLoss), 0, 1, 21);
  EXPECT_LE(chosen.rows.size(), 21U);
  EXPECT_GE(chosen.rows.size(), 10U);
  EXPECT_TRUE(IsChosen(chosen, 0));
  EXPECT_TRUE(IsChosen(chosen, 999));
}

TEST(ChooseRowsTest, AShortSeriesStaysWholeBesideALongOne) {
  std::vector<IndexedRow> rows = SeriesOf(1000, 1);
  for (int64_t i = 0; i < 1000; i += 100) rows[static_cast<size_t>(i)].series = 1;
  const ChosenRows chosen = ChooseRows(rows, 0, 2, 20);
  for (int64_t i = 0; i < 1000; i += 100) EXPECT_TRUE(IsChosen(chosen, i)) << i;
  EXPECT_LE(chosen.rows.size(), 30U);
}

}  // namespace
}  // namespace singa
