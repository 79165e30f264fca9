#include "math/device_peak.h"

#include <chrono>

#include "singa/math/gemm.h"
#include "singa/math/random_fill.h"
#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"

namespace singa {
namespace {

// Runs `work` often enough to fill 20 ms of the stream. Returns the seconds of one run.
template <typename Work>
double SecondsOf(Stream& stream, const Work& work) {
  work();  // loads the kernel
  for (int runs = 1;; runs *= 2) {
    stream.Wait();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) work();
    stream.Wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (took.count() > 0.02) return took.count() / runs;
  }
}

// An emulated GPU computes on the host, which takes long for large matrices.
bool IsEmulated(const Context& ctx) { return ctx.stream->gpu().kernels() == Device::kCpu; }

}  // namespace

double MeasureProductPeak(Context& ctx) {
  const int64_t n = IsEmulated(ctx) ? 256 : 4096;
  Tensor a = Allocate(ctx, {n, n}), b = Allocate(ctx, {n, n}), c = Allocate(ctx, {n, n});

  constexpr Philox kNumbers = {.purpose = HashName("peak of products")};
  FillUniform(ctx, kNumbers, 0, n * n, -1, 1, a.as<float>());
  FillUniform(ctx, kNumbers, n * n, n * n, -1, 1, b.as<float>());
  const double seconds = SecondsOf(*ctx.stream, [&] {
    Gemm(ctx, n, n, n, 1, {a.as<float>(), n}, {b.as<float>(), n}, 0, c.as<float>(), n);
  });
  const auto size = static_cast<double>(n);
  return 2 * size * size * size / seconds;
}

double MeasureDeviceCopyBandwidth(Context& ctx) {
  const int64_t floats = int64_t{IsEmulated(ctx) ? 4 : 64} << 20;
  const Tensor from = Allocate(ctx, {floats});
  Tensor to = Allocate(ctx, {floats});
  const double seconds =
      SecondsOf(*ctx.stream, [&] { CopyFloats(ctx, from.as<float>(), to.as<float>(), floats); });
  return 2 * static_cast<double>(from.bytes()) / seconds;
}

}  // namespace singa
