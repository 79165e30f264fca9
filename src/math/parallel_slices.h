// ParallelSlices distributes elementwise work over the threads of a context.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "singa/tensor/context.h"

namespace singa {

// Below this many elements waking threads costs more than they save.
inline constexpr int64_t kParallelElements = 1 << 16;

// Calls work(begin, end) or work(begin, end, slice) for contiguous parts of [0, n), one a thread,
// that begin at multiples of `align`. `slice` counts from 0 and is less than max(1, ctx.threads),
// in any OpenMP team. Results must not depend on the cuts. REQUIRES: work does not throw.
template <typename Work>
void ParallelSlices(const Context& ctx, int64_t n, int64_t align, const Work& work) {
  const int64_t useful =
      std::clamp<int64_t>(n / (kParallelElements / 2), 1, std::max(1, ctx.threads));
  const int threads = static_cast<int>(useful);
  const auto call = [&work](int64_t begin, int64_t end, int64_t slice) {
    if constexpr (std::is_invocable_v<const Work&, int64_t, int64_t, int64_t>)
      work(begin, end, slice);
    else
      work(begin, end);
  };
  if (threads == 1) return call(0, n, 0);
  const int64_t units = (n + align - 1) / align;
#pragma omp parallel num_threads(threads)
  {
    const int64_t t = omp_get_thread_num(), team = omp_get_num_threads();
    const int64_t begin = units * t / team * align;
    const int64_t end = std::min(n, units * (t + 1) / team * align);
    if (begin < end) call(begin, end, t);
  }
}

template <typename Work>
void ParallelSlices(const Context& ctx, int64_t n, const Work& work) {
  ParallelSlices(ctx, n, 64, work);
}

}  // namespace singa
