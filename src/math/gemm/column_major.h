// ColumnMajorProduct describes a product of row-major matrices to a library with column-major
// matrices. The library sees a row-major matrix as its transpose, so c = a b becomes c^T = b^T a^T.
#pragma once

#include "singa/math/gemm.h"

namespace singa {

struct ColumnMajorFactor {
  const float* data;
  int64_t rows, cols, ld;  // of the stored matrix
  bool transposed;         // whether it is transposed before it is multiplied
};

struct ColumnMajorProduct {
  ColumnMajorProduct(int64_t m, int64_t n, int64_t k, GemmOperand a, GemmOperand b)
      : left{b.data, b.transposed ? k : n, b.transposed ? n : k, b.ld, b.transposed},
        right{a.data, a.transposed ? m : k, a.transposed ? k : m, a.ld, a.transposed},
        rows(n),
        cols(m) {}

  ColumnMajorFactor left, right;
  int64_t rows, cols;  // of the result
};

}  // namespace singa
