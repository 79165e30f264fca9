#include "nn/neuron/few_rows.h"

#include <algorithm>

#include "base/thread/unchecked_reads.h"
#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/inner_product.h"

namespace singa {
namespace {

constexpr int64_t kOutputs = 4;  // outputs computed at a time, each with a sum of its own

// y[j] = <row j of w, x> for kOutputs rows of v numbers, `ld` floats apart.
SINGA_UNCHECKED_READS SINGA_CPU_CLONES void DotFourRows(const float* __restrict w, int64_t ld,
                                                        const float* __restrict x, int64_t v,
                                                        float* __restrict y) {
  const float* __restrict const w1 = w + ld;
  const float* __restrict const w2 = w + 2 * ld;
  const float* __restrict const w3 = w + 3 * ld;
  float a = 0, b = 0, c = 0, d = 0;
#pragma omp simd reduction(+ : a, b, c, d)
  for (int64_t k = 0; k < v; ++k) {
    a += w[k] * x[k];
    b += w1[k] * x[k];
    c += w2[k] * x[k];
    d += w3[k] * x[k];
  }
  y[0] = a;
  y[1] = b;
  y[2] = c;
  y[3] = d;
}

SINGA_UNCHECKED_READS SINGA_CPU_CLONES void DotOneRow(const float* __restrict w,
                                                      const float* __restrict x, int64_t v,
                                                      float* __restrict y) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t k = 0; k < v; ++k) sum += w[k] * x[k];
  *y = sum;
}

// y = the sum of x[k] times row k of w, for v rows of n numbers, `ld` floats apart.
SINGA_UNCHECKED_READS SINGA_CPU_CLONES void AddUpRows(const float* __restrict w, int64_t ld,
                                                      const float* __restrict x, int64_t v,
                                                      float* __restrict y, int64_t n) {
  for (int64_t j = 0; j < n; ++j) y[j] = 0;
  for (int64_t k = 0; k < v; ++k)
    for (int64_t j = 0; j < n; ++j) y[j] += x[k] * w[k * ld + j];
}

// Computes outputs [begin, end) of n rows, where w has a row for each output.
void DotRange(const float* x, const GemmOperand& w, float* y, int64_t n, int64_t h, int64_t v,
              int64_t begin, int64_t end) {
  int64_t j = begin;
  for (; j + kOutputs <= end; j += kOutputs)
    for (int64_t r = 0; r < n; ++r)
      DotFourRows(w.data + j * w.ld, w.ld, x + r * v, v, y + r * h + j);
  for (; j < end; ++j)
    for (int64_t r = 0; r < n; ++r) DotOneRow(w.data + j * w.ld, x + r * v, v, y + r * h + j);
}

// Computes outputs [begin, end) of n rows, where w has a column for each output.
void AddUpRange(const float* x, const GemmOperand& w, float* y, int64_t n, int64_t h, int64_t v,
                int64_t begin, int64_t end) {
  constexpr int64_t kColumns = 512;  // sums that stay in the first-level cache
  for (int64_t j = begin; j < end; j += kColumns)
    for (int64_t r = 0; r < n; ++r)
      AddUpRows(w.data + j, w.ld, x + r * v, v, y + r * h + j, std::min(kColumns, end - j));
}

}  // namespace

// Each thread has some outputs of all rows. Threads begin at whole vectors, so their number changes
// no bits.
void FewRowsProduct(Context& ctx, const float* x, const GemmOperand& w, const float* b, float* y,
                    int64_t n, int64_t h, int64_t v) {
  constexpr int64_t kOutputsOfThread = 64;
  ParallelSlices(ctx, h * v, kOutputsOfThread * v, [&](int64_t begin, int64_t end) {
    if (w.transposed)
      DotRange(x, w, y, n, h, v, begin / v, end / v);
    else
      AddUpRange(x, w, y, n, h, v, begin / v, end / v);
  });
  if (b) AddBias(ctx, b, y, n, h);
}

}  // namespace singa
