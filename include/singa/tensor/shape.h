// Shape holds up to 8 sizes, outermost first. It uses no heap memory.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "singa/base/api.h"

namespace singa {

class SINGA_API Shape {
 public:
  static constexpr int kMaxDims = 8;
  // Maximum number of elements of a tensor; Check throws for more.
  static constexpr int64_t kMaxSize = int64_t{1} << 40;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  // Throws ConfigError if there are more than kMaxDims sizes.
  explicit Shape(std::span<const int64_t> dims);

  int dims() const { return dims_; }
  int64_t operator[](int i) const { return d_[i]; }
  void Set(int i, int64_t size) { d_[i] = size; }

  // Returns the product of all sizes from dimension `first` on: INT64_MAX if it overflows, 1 if
  // there are none.
  int64_t size(int first = 0) const;
  // Throws ConfigError unless every size is > 0 and the product <= kMaxSize.
  void Check() const;
  std::string ToString() const;  // "(64, 1, 28, 28)"

  bool operator==(const Shape& other) const;

 private:
  int dims_ = 0;
  std::array<int64_t, kMaxDims> d_{};
};

}  // namespace singa
