#include "io/checkpoint/shape_fit.h"

#include <vector>

namespace singa {
namespace {

std::vector<int64_t> SizesAboveOne(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (int i = 0; i < shape.dims(); ++i)
    if (shape[i] != 1) sizes.push_back(shape[i]);
  return sizes;
}

// Returns whether `coarse` is `fine` with neighbours multiplied. REQUIRES: as many elements.
bool IsCoarser(const std::vector<int64_t>& coarse, const std::vector<int64_t>& fine) {
  size_t next = 0;
  for (const int64_t size : coarse) {
    int64_t product = 1;
    while (next < fine.size() && product < size) product *= fine[next++];
    if (product != size) return false;
  }
  return next == fine.size();
}

}  // namespace

bool SameOrder(const Shape& a, const Shape& b) {
  if (a == b) return true;
  if (a.size() != b.size() || a.size() == 0) return false;
  const std::vector<int64_t> first = SizesAboveOne(a), second = SizesAboveOne(b);
  return IsCoarser(first, second) || IsCoarser(second, first);
}

}  // namespace singa
