// ColumnMajorProduct: a product of row-major matrices as a library sees it to which memory holds
// columns. A row-major matrix is there its transpose, so c = a b becomes c^T = b^T a^T.
#pragma once

#include "singa/math/gemm.h"

namespace singa {

struct ColumnMajorFactor {
  const float* data;
  int64_t rows, cols, ld;  // as it is stored
  bool transposed;         // before it is multiplied
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
