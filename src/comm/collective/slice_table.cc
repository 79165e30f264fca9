#include "comm/collective/slice_table.h"

#include <algorithm>

#include "singa/base/part_of.h"

namespace singa {

SliceTable::SliceTable(const std::vector<Shape>& params,
                       const std::vector<ParamDivision>& divisions) {
  constexpr int64_t kLeast = 1024, kSlices = 64;
  for (const Shape& shape : params) elements_ += shape.size();
  const int64_t most = std::clamp(elements_ / kSlices, kLeast, kMost);
  for (size_t p = 0; p < params.size(); ++p) {
    const int64_t size = params[p].size();
    const int64_t row = params[p].dims() > 0 ? std::max<int64_t>(1, size / params[p][0]) : 1;
    const int64_t block = row * kLeastRows;  // a slice of a large param is whole blocks
    const int64_t run = block <= kMost ? std::max(block, most / block * block) : most;
    const auto [parts, contributors] = divisions.empty() ? ParamDivision() : divisions[p];
    for (int part = 0; part < parts; ++part) {
      const int64_t rows = parts > 1 ? params[p][0] : size, elements = parts > 1 ? row : 1;
      const auto [first, count] = PartOf(rows, part, parts);
      Cut(static_cast<int>(p), first * elements, (first + count) * elements, run,
          {part, parts, contributors});
    }
    first_.push_back(static_cast<int>(slices_.size()));
  }
}

void SliceTable::Cut(int param, int64_t begin, int64_t end, int64_t run, const Contributors& by) {
  for (; begin < end; begin += run)
    slices_.push_back({param, begin, std::min(run, end - begin), by});
}

std::vector<int> CutEvenly(const SliceTable& table, const std::vector<int>& slices, int parts) {
  const int count = static_cast<int>(slices.size());
  const auto size = [&](int i) { return table[slices[i]].size; };
  int64_t elements = 0, done = 0;
  for (int i = 0; i < count; ++i) elements += size(i);
  std::vector<int> ends = {0};
  int next = 0;
  for (int i = 1; i <= parts; ++i) {
    const int64_t share = elements * i / parts;
    // A slice across the boundary goes to the run that has more than half of it.
    while (next < count && done + size(next) / 2 < share) done += size(next++);
    ends.push_back(i == parts ? count : next);
  }
  return ends;
}

}  // namespace singa
