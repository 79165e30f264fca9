#include "math/elementwise/float16_range.h"

#include <algorithm>
#include <cstring>

#include "math/elementwise/half.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace singa {
namespace {

void PackPlain(const float* x, int64_t n, float clip, float factor, std::byte* y) {
  for (int64_t i = 0; i < n; ++i) {
    const uint16_t half = Float16::From(std::clamp(x[i], -clip, clip) * factor);
    std::memcpy(y + i * int64_t{sizeof half}, &half, sizeof half);
  }
}

void UnpackPlain(const std::byte* x, int64_t n, float factor, float* y) {
  for (int64_t i = 0; i < n; ++i) {
    uint16_t half;
    std::memcpy(&half, x + i * int64_t{sizeof half}, sizeof half);
    y[i] = Float16::ToFloat(half) * factor;
  }
}

#if defined(__x86_64__)
constexpr int64_t kAtOnce = 8;  // numbers

bool HasF16c() {  // clang 14 has no __builtin_cpu_supports("f16c")
  unsigned a, b, c, d;
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}

// min and max return their second argument if one is NaN, as std::clamp does.
[[gnu::target("avx,f16c")]] void PackF16c(const float* x, int64_t n, float clip, float factor,
                                          std::byte* y) {
  const __m256 high = _mm256_set1_ps(clip), low = _mm256_set1_ps(-clip);
  const __m256 factors = _mm256_set1_ps(factor);
  int64_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce, y += sizeof(__m128i)) {
    const __m256 cut = _mm256_max_ps(low, _mm256_min_ps(high, _mm256_loadu_ps(x + i)));
    const __m128i halves = _mm256_cvtps_ph(_mm256_mul_ps(cut, factors), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(y, &halves, sizeof halves);
  }
  PackPlain(x + i, n - i, clip, factor, y);
}

[[gnu::target("avx,f16c")]] void UnpackF16c(const std::byte* x, int64_t n, float factor, float* y) {
  const __m256 factors = _mm256_set1_ps(factor);
  int64_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce, x += sizeof(__m128i)) {
    __m128i halves;
    std::memcpy(&halves, x, sizeof halves);
    _mm256_storeu_ps(y + i, _mm256_mul_ps(_mm256_cvtph_ps(halves), factors));
  }
  UnpackPlain(x, n - i, factor, y + i);
}
#endif

}  // namespace

void PackFloat16(const float* x, int64_t n, float clip, float factor, std::byte* y) {
#if defined(__x86_64__)
  static const bool has_f16c = HasF16c();
  if (has_f16c) return PackF16c(x, n, clip, factor, y);
#endif
  PackPlain(x, n, clip, factor, y);
}

void UnpackFloat16(const std::byte* x, int64_t n, float factor, float* y) {
#if defined(__x86_64__)
  static const bool has_f16c = HasF16c();
  if (has_f16c) return UnpackF16c(x, n, factor, y);
#endif
  UnpackPlain(x, n, factor, y);
}

}  // namespace singa
