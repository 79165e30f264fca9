#include "comm/collective/low_rank_param.h"

#include <algorithm>

#include "comm/collective/slice_buckets.h"
#include "singa/base/str_cat.h"

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

std::vector<LowRankParam> LowRankParams(const SliceTable& table, const std::vector<Shape>& shapes,
                                        const AllReduceProto& conf) {
  std::vector<LowRankParam> params(table.params());
  const std::vector<std::vector<int>> buckets = GradientBuckets(table, conf);
  for (size_t b = 0; b < buckets.size(); ++b)
    for (const int s : buckets[b]) params[table[s].param].bucket = static_cast<int64_t>(b);
  for (int p = 0; p < table.params(); ++p) {
    params[p].param = p;
    params[p].shape = LowRankOf(table, p, shapes[p], conf.rank());
  }
  std::erase_if(params, [](const LowRankParam& one) { return one.shape.rank == 0; });
  return params;
}

Philox RandomOfBasis(uint64_t seed, int param, int64_t exchange) {
  return {.seed = seed,
          .purpose = HashName(StrCat("powersgd ", param)),
          .step = static_cast<uint32_t>(exchange)};
}

}  // namespace singa
