#include "driver/onnx/import/sizes.h"

#include <algorithm>
#include <iterator>

#include "singa/base/str_cat.h"

namespace singa {

namespace {

std::string DimensionText(int64_t size) {
  switch (size) {
    case kFreeBatch:
      return "N";
    case kFreeSteps:
      return "T";
    case kFreeRows:
      return "T N";
    case kFreeSequences:
      return "N T";
    case kFreeProduct:
      return "?";
    default:
      return std::to_string(size);
  }
}

}  // namespace

std::string SizesText(const Sizes& sizes) {
  constexpr size_t kMost = 16;
  std::string text = "(";
  for (size_t i = 0; i < std::min(kMost, sizes.size()); ++i)
    text += StrCat(i ? ", " : "", DimensionText(sizes[i]));
  return text + (sizes.size() > kMost ? ", ...)" : ")");
}

Sizes SizesFrom(const Sizes& sizes, size_t first) {
  return {sizes.begin() + static_cast<int64_t>(std::min(first, sizes.size())), sizes.end()};
}

int64_t ProductOf(const Sizes& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(product, size, &product)) return INT64_MAX;
  return product;
}

int64_t UnitsOf(const Sizes& sizes) {
  Sizes units;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(units),
               [](int64_t size) { return !IsFree(size); });
  return ProductOf(units);
}

std::optional<Sizes> SolvedSizes(Sizes wanted, int64_t product) {
  const auto free = std::find(wanted.begin(), wanted.end(), -1);
  if (free != wanted.end()) *free = 1;
  if (std::any_of(wanted.begin(), wanted.end(), [](int64_t size) { return size < 0; })) return {};
  if (const int64_t others = ProductOf(wanted); free != wanted.end())
    *free = others > 0 ? product / others : 0;
  if (ProductOf(wanted) != product) return {};
  return wanted;
}

}  // namespace singa
