#include "comm/collective/low_rank_param.h"

#include <algorithm>

namespace singa {

LowRankShape LowRankOf(const SliceTable& table, int param, const Shape& shape, int rank) {
  const auto [first, last] = table.OfParam(param);
  const bool divided = std::any_of(table.slices().begin() + first, table.slices().begin() + last,
                                   [](const Slice& slice) { return !slice.by.all(); });
  if (divided || shape.dims() < 2) return {};
  const int64_t rows = shape[0], cols = shape.size() / rows;
  const int64_t thin = std::min<int64_t>({rank, rows, cols});
  if (2 * thin * (rows + cols) > rows * cols) return {};
  return {rows, cols, thin};
}

}  // namespace singa
