// ChooseRows thins long series of rows, so that a picture of them stays the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace singa {

struct IndexedRow {
  int64_t offset = 0;  // where its line begins in the file
  int32_t series = 0;
  float loss = 0;  // NaN: none
};

struct ChosenRows {
  std::vector<int64_t> rows;  // ascending
  bool thinned = false;       // there are more
};

// Chooses at most `most` rows of each series among rows[first], rows[first + 1], ... A longer
// series is cut into stretches of one length. Each keeps its rows with the smallest and the largest
// loss, or its first row if none has a loss. The newest row of a series is always chosen.
ChosenRows ChooseRows(std::span<const IndexedRow> rows, int64_t first, int series, int64_t most);

}  // namespace singa
