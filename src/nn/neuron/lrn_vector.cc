// Vector kernel of local response normalisation: vectors of channels, with pixels divided over the
// context's threads. (The primitive of oneDNN 2.6 crashes on some shapes, such as windows of 7 on 3
// channels.)
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/lrn.h"

namespace singa {
namespace {

// Computes s = offset + rate times the window's sum of `padded`, which has `half` zeros on both
// sides.
SINGA_CPU_CLONES void SumWindows(const float* __restrict padded, float* __restrict s, int64_t c,
                                 int64_t half, float offset, float rate) {
  for (int64_t j = 0; j < c; ++j) s[j] = padded[j];
  for (int64_t d = 1; d <= 2 * half; ++d)
    for (int64_t j = 0; j < c; ++j) s[j] += padded[j + d];
  for (int64_t j = 0; j < c; ++j) s[j] = offset + rate * s[j];
}

SINGA_CPU_CLONES void Squares(const float* __restrict x, float* __restrict y, int64_t c) {
  for (int64_t j = 0; j < c; ++j) y[j] = x[j] * x[j];
}

// Computes s^-3/4, the usual power.
SINGA_CPU_CLONES void ThreeQuarters(const float* __restrict s, float* __restrict power, int64_t c) {
  for (int64_t j = 0; j < c; ++j) {
    const float root = 1 / std::sqrt(s[j]);
    power[j] = root * std::sqrt(root);
  }
}

SINGA_CPU_CLONES void Multiply(const float* __restrict x, const float* __restrict power,
                               float* __restrict y, int64_t c) {
  for (int64_t j = 0; j < c; ++j) y[j] = x[j] * power[j];
}

// Computes the term of each channel in the window's sum for the gradient.
SINGA_CPU_CLONES void Terms(const float* __restrict x, const float* __restrict dy,
                            const float* __restrict s, const float* __restrict power,
                            float* __restrict term, int64_t c) {
  for (int64_t j = 0; j < c; ++j) term[j] = dy[j] * x[j] * power[j] / s[j];
}

SINGA_CPU_CLONES void InputGradient(const float* __restrict x, const float* __restrict dy,
                                    const float* __restrict power, const float* __restrict sum,
                                    float* __restrict dx, int64_t c) {
  for (int64_t j = 0; j < c; ++j) dx[j] = dy[j] * power[j] - x[j] * sum[j];
}

class VectorLrn final : public LrnPlan {
 public:
  VectorLrn(const LrnDesc& desc, int threads)
      : d_(desc), threads_(threads), half_(desc.size / 2), c_(desc.shape.c) {}

  const char* name() const override { return "vector"; }
  int64_t scratch_bytes() const override { return threads_ * own_scratch() * kFloat; }
  int64_t kept_bytes() const override { return d_.shape.size() * kFloat; }

  void Forward(Context& ctx, const float* x, float* y, void* kept) override {
    auto* s = static_cast<float*>(kept);
    EachPixel(ctx, [&](int64_t at, float* padded, float*, float* power) {
      Squares(x + at, padded + half_, c_);
      SumWindows(padded, s + at, c_, half_, d_.knorm, rate());
      Power(s + at, power);
      Multiply(x + at, power, y + at, c_);
    });
  }

  void Backward(Context& ctx, const float* x, const float* dy, const void* kept,
                float* dx) override {
    const auto* s = static_cast<const float*>(kept);
    EachPixel(ctx, [&](int64_t at, float* padded, float* sum, float* power) {
      Power(s + at, power);
      Terms(x + at, dy + at, s + at, power, padded + half_, c_);
      SumWindows(padded, sum, c_, half_, 0, 2 * d_.beta * rate());
      InputGradient(x + at, dy + at, power, sum, dx + at, c_);
    });
  }

 private:
  static constexpr int64_t kFloat = sizeof(float);
  static constexpr int64_t kLine = 16;  // floats of a cache line, which two threads must not share
  int64_t own_scratch() const { return (3 * c_ + 2 * half_ + kLine - 1) / kLine * kLine; }
  float rate() const { return d_.alpha / static_cast<float>(d_.size); }

  void Power(const float* s, float* power) const {
    if (d_.beta == 0.75f) return ThreeQuarters(s, power, c_);
    for (int64_t j = 0; j < c_; ++j) power[j] = std::pow(s[j], -d_.beta);
  }

  // Calls visit(first element of the pixel, padded, sum, power) for each pixel. The last three are
  // in the thread's own scratch.
  template <typename Visit>
  void EachPixel(Context& ctx, const Visit& visit) const {
    ParallelSlices(ctx, d_.shape.size(), c_, [&](int64_t begin, int64_t end, int64_t slice) {
      float* padded = static_cast<float*>(ctx.scratch) + slice * own_scratch();
      float *sum = padded + c_ + 2 * half_, *power = sum + c_;
      std::fill_n(padded, c_ + 2 * half_, 0.f);
      for (int64_t at = begin; at < end; at += c_) visit(at, padded, sum, power);
    });
  }

  const LrnDesc d_;
  const int64_t threads_, half_, c_;
};

std::unique_ptr<LrnPlan> Make(Context& ctx, const LrnDesc& desc) {
  return std::make_unique<VectorLrn>(desc, std::max(1, ctx.threads));
}

[[maybe_unused]] const bool registered = MakeLrn.Set(Device::kCpu, Make, Rank::kVector);

}  // namespace
}  // namespace singa
