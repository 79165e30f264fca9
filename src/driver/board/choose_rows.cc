#include "driver/board/choose_rows.h"

#include <algorithm>

namespace singa {
namespace {

// The rows of one series that have been passed so far.
struct Stretch {
  int64_t count = 0;   // of the whole series
  int64_t passed = 0;  // of those
  int64_t end = 0;     // `passed` at which the stretch ends
  int64_t least = -1, largest = -1, first = -1;
};

int64_t Ceiling(int64_t n, int64_t d) { return (n + d - 1) / d; }

void CloseStretch(Stretch* stretch, std::vector<int64_t>* chosen) {
  const int64_t least = stretch->least, largest = stretch->largest;
  if (least >= 0) chosen->push_back(least);
  if (largest >= 0 && largest != least) chosen->push_back(largest);
  if (least < 0 && stretch->first >= 0) chosen->push_back(stretch->first);
  stretch->least = stretch->largest = stretch->first = -1;
}

}  // namespace

ChosenRows ChooseRows(std::span<const IndexedRow> rows, int64_t first, int series, int64_t most) {
  std::vector<Stretch> stretches(static_cast<size_t>(series));
  const auto size = static_cast<int64_t>(rows.size());
  const auto of = [&](int64_t row) -> Stretch& {
    return stretches[static_cast<size_t>(rows[static_cast<size_t>(row)].series)];
  };
  for (int64_t row = first; row < size; ++row) ++of(row).count;
  ChosenRows chosen;
  // Two rows a stretch, and the newest row.
  const int64_t cuts = std::max<int64_t>(1, (most - 1) / 2);
  for (int64_t row = first; row < size; ++row) {
    Stretch& now = of(row);
    if (now.count <= most) {
      chosen.rows.push_back(row);
      continue;
    }
    chosen.thinned = true;
    if (now.first < 0) {
      now.first = row;
      now.end = std::min(now.count, now.passed + Ceiling(now.count, cuts));
    }
    const float loss = rows[static_cast<size_t>(row)].loss;
    const auto at = [&](int64_t other) { return rows[static_cast<size_t>(other)].loss; };
    if (loss == loss) {
      if (now.least < 0 || loss < at(now.least)) now.least = row;
      if (now.largest < 0 || loss > at(now.largest)) now.largest = row;
    }
    ++now.passed;
    const bool newest = now.passed == now.count;
    if (newest || now.passed == now.end) {
      const bool has =
          row == now.least || row == now.largest || (now.least < 0 && row == now.first);
      CloseStretch(&now, &chosen.rows);
      if (newest && !has) chosen.rows.push_back(row);
    }
  }
  std::sort(chosen.rows.begin(), chosen.rows.end());
  return chosen;
}

}  // namespace singa
