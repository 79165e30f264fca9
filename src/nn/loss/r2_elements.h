// Device code for the threads of the kernel of nn/loss/r2.h.
#pragma once

#include "nn/loss/r2.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// A block adds up one column.
struct SumColumn {
  const float* x;
  const float* t;
  R2Sums* sums;
  int64_t n, d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t c) const {
    double errors = 0, squares = 0, targets = 0;
    for (int64_t i = block.thread(); i < n; i += block.threads()) {
      const double target = t[i * d + c], error = x[i * d + c] - target;
      errors += error * error;
      squares += target * target;
      targets += target;
    }
    errors = block.Sum(errors);
    squares = block.Sum(squares);
    targets = block.Sum(targets);
    if (block.thread() != 0) return;
    sums[c].errors += errors;
    sums[c].squares += squares;
    sums[c].targets += targets;
    sums[c].rows += static_cast<double>(n);
  }
};

}  // namespace singa
