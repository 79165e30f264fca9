#include "io/checkpoint/shape_fit.h"

#include <algorithm>
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

// Returns how one param alone is read.
ShapeFit FitOf(const ParamShapes& param) {
  const Shape& net = param.in_net;
  if (SameOrder(param.in_file, net)) return ShapeFit::kSameOrder;
  const bool turns = param.may_turn && net.dims() == 2;
  return turns && SameOrder(param.in_file, {net[1], net[0]}) ? ShapeFit::kTransposed
                                                             : ShapeFit::kNone;
}

bool IsSquare(const Shape& shape) { return shape.dims() == 2 && shape[0] == shape[1]; }

}  // namespace

bool SameOrder(const Shape& a, const Shape& b) {
  if (a == b) return true;
  if (a.size() != b.size() || a.size() == 0) return false;
  const std::vector<int64_t> first = SizesAboveOne(a), second = SizesAboveOne(b);
  return IsCoarser(first, second) || IsCoarser(second, first);
}

std::vector<ShapeFit> FitsOf(std::span<const ParamShapes> params) {
  std::vector<ShapeFit> fits;
  for (const ParamShapes& param : params) fits.push_back(FitOf(param));
  if (std::find(fits.begin(), fits.end(), ShapeFit::kTransposed) == fits.end()) return fits;
  for (size_t i = 0; i < fits.size(); ++i)
    if (params[i].may_turn && fits[i] == ShapeFit::kSameOrder && IsSquare(params[i].in_net))
      fits[i] = ShapeFit::kTransposed;
  return fits;
}

}  // namespace singa
