#include "math/machine_peak.h"

#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace singa {
namespace {

// Computes kChains independent sums in vectors of kBytes. They are enough to hide the latency of a
// fused multiply-add on two ports, and fit the registers.
template <int kBytes, int kChains>
[[gnu::always_inline]] inline float Chains(int64_t rounds) {
  using Vector [[gnu::vector_size(kBytes)]] = float;
  Vector sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = Vector{} + static_cast<float>(c + 3);
  const Vector factor = Vector{} + 0.5f, term = Vector{} + 1.0f;  // sums fall to 2
  for (int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) sums[c] = sums[c] * factor + term;
  }
  float total = 0;
  for (int c = 0; c < kChains; ++c) total += sums[c][0];
  return total;
}

struct Loop {
  float (*run)(int64_t rounds);
  int64_t flops;  // of a round
};

template <int kBytes, int kChains>
constexpr int64_t kFlops = 2 * kChains*(kBytes / static_cast<int64_t>(sizeof(float)));

float Baseline(int64_t rounds) { return Chains<16, 10>(rounds); }

#if defined(__x86_64__)
[[gnu::target("avx512f")]] float Avx512(int64_t rounds) { return Chains<64, 12>(rounds); }
[[gnu::target("avx2,fma")]] float Avx2(int64_t rounds) { return Chains<32, 12>(rounds); }

Loop ChooseLoop() {
  if (__builtin_cpu_supports("avx512f")) return {Avx512, kFlops<64, 12>};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {Avx2, kFlops<32, 12>};
  return {Baseline, kFlops<16, 10>};
}
#else
Loop ChooseLoop() { return {Baseline, kFlops<16, 10>}; }
#endif

// Returns the least seconds of `runs` calls of `work`, so that other load on the machine does not
// count.
template <int runs, typename Work>
double LeastSeconds(const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    least = std::min(least, seconds.count());
  }
  return least;
}

}  // namespace

double MeasureFmaPeak(int threads) {
  constexpr int64_t kRounds = 50'000;
  const Loop loop = ChooseLoop();
  double rate = 0, kept = 0;  // `kept` prevents that work is optimised away
#pragma omp parallel num_threads(threads) reduction(+ : rate, kept)
  rate = static_cast<double>(loop.flops * kRounds) /
         LeastSeconds<31>([&] { kept += loop.run(kRounds); });
  LOG_IF(FATAL, kept == 0) << "nothing was computed";
  return rate;
}

double MeasureCopyBandwidth(int threads) {
  const int64_t floats = (int64_t{16} << 20) / threads;
  double rate = 0;
#pragma omp parallel num_threads(threads) reduction(+ : rate)
  {
    std::vector<float> from(floats, 1.f), to(floats, 0.f);
    const double bytes = 2.0 * sizeof(float) * static_cast<double>(floats);
    rate = bytes / LeastSeconds<9>([&] { std::copy(from.begin(), from.end(), to.begin()); });
    LOG_IF(FATAL, to[floats / 2] != 1) << "nothing was copied";
  }
  return rate;
}

}  // namespace singa
