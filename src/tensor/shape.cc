#include "singa/tensor/shape.h"

#include <algorithm>
#include <limits>

#include "singa/base/error.h"

namespace singa {

Shape::Shape(std::span<const int64_t> dims) : dims_(static_cast<int>(dims.size())) {
  if (dims.size() > kMaxDims)
    throw ConfigError("", StrCat("a shape has at most ", kMaxDims, " sizes, not ", dims.size()));
  std::copy(dims.begin(), dims.end(), d_.begin());
}

int64_t Shape::size(int first) const {
  int64_t product = 1;
  for (int i = first; i < dims_; ++i)
    if (__builtin_mul_overflow(product, d_[i], &product))
      return std::numeric_limits<int64_t>::max();
  return product;
}

void Shape::Check() const {
  for (int i = 0; i < dims_; ++i)
    if (d_[i] <= 0)
      throw ConfigError("", StrCat("shape ", ToString(), " has a size that is not > 0"));
  if (size() > kMaxSize)
    throw ConfigError("", StrCat("shape ", ToString(), " has more than 2^40 elements"));
}

std::string Shape::ToString() const {
  std::string text = "(";
  for (int i = 0; i < dims_; ++i) text += StrCat(i ? ", " : "", d_[i]);
  return text + ")";
}

bool Shape::operator==(const Shape& other) const {
  return dims_ == other.dims_ && std::equal(d_.begin(), d_.begin() + dims_, other.d_.begin());
}

}  // namespace singa
