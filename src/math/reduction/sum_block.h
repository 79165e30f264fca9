// Adds up many terms in float64 by blocks of a device's threads, in an order that depends on the
// number of terms alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

template <size_t N>
using Sums = std::array<double, N>;

// Block i of `parts` adds up its share of term(j), j < n, and calls finish(i, sums) once.
template <size_t N, typename Term, typename Finish>
struct SumBlock {
  Term term;
  int64_t n, parts;
  Finish finish;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    Sums<N> sums{};
    for (int64_t j = i * block.threads() + block.thread(); j < n; j += parts * block.threads()) {
      const Sums<N> more = term(j);
      for (size_t k = 0; k < N; ++k) sums[k] += more[k];
    }
    for (size_t k = 0; k < N; ++k) sums[k] = block.Sum(sums[k]);
    if (block.thread() == 0) finish(i, sums);
  }
};

// These store the sums of parts, and load them as terms.
template <size_t N>
struct StoreSums {
  Sums<N>* partial;
  SINGA_HD void operator()(int64_t i, const Sums<N>& sums) const { partial[i] = sums; }
};
template <size_t N>
struct LoadSums {
  const Sums<N>* partial;
  SINGA_HD Sums<N> operator()(int64_t i) const { return partial[i]; }
};

// Adds a sum, and its divisor, to a metric's cell.
struct AddToCell {
  double* cell;
  double factor;
  SINGA_HD void operator()(int64_t, const Sums<2>& sums) const {
    cell[0] += factor * sums[0];
    cell[1] += sums[1];
  }
};

}  // namespace singa
