// Plain kernels of attention: the definition. A row of P is computed at a time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/neuron/attention.h"

namespace singa {
namespace {

float Dot(const float* a, const float* b, int64_t n) {
  float sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += a[j] * b[j];
  return sum;
}

void AddScaled(float factor, const float* x, float* y, int64_t n) {
  for (int64_t j = 0; j < n; ++j) y[j] += factor * x[j];
}

// Computes o and log_sum of step t. p: [T], scratch.
void ForwardStep(const AttentionFeature& f, int64_t pair, int64_t t, float* p) {
  const auto q = HeadOf(f.shape, f.qkv, pair, 0, 3), k = HeadOf(f.shape, f.qkv, pair, 1, 3),
             v = HeadOf(f.shape, f.qkv, pair, 2, 3);
  const int64_t keys = f.shape.KeysOf(t), width = f.shape.width;
  float largest = -std::numeric_limits<float>::infinity();
  for (int64_t s = 0; s < keys; ++s) {
    p[s] = f.shape.scale() * Dot(q.At(t), k.At(s), width);
    largest = std::max(largest, p[s]);
  }
  double sum = 0;
  for (int64_t s = 0; s < keys; ++s) sum += p[s] = std::exp(p[s] - largest);
  float* const o = HeadOf(f.shape, f.o, pair, 0, 1).At(t);
  std::fill_n(o, width, 0.f);
  const uint64_t index = f.dropout.IndexOf(f.shape, pair, t);
  for (int64_t s = 0; s < keys; ++s)
    AddScaled(static_cast<float>(p[s] / sum) * f.dropout.At(index, s), v.At(s), o, width);
  f.log_sum[pair * f.shape.steps + t] = largest + static_cast<float>(std::log(sum));
}

// Adds step t's part to the gradients of all keys and values, and computes that of its query.
void BackwardStep(const AttentionGradient& g, int64_t pair, int64_t t) {
  const AttentionShape& shape = g.shape;
  const auto q = HeadOf(shape, g.qkv, pair, 0, 3), k = HeadOf(shape, g.qkv, pair, 1, 3),
             v = HeadOf(shape, g.qkv, pair, 2, 3);
  const auto dq = HeadOf(shape, g.dqkv, pair, 0, 3), dk = HeadOf(shape, g.dqkv, pair, 1, 3),
             dv = HeadOf(shape, g.dqkv, pair, 2, 3);
  const float* const o = HeadOf(shape, g.o, pair, 0, 1).At(t);
  const float* const d_o = HeadOf(shape, g.d_o, pair, 0, 1).At(t);
  const int64_t width = shape.width;
  const float scale = shape.scale(), delta = Dot(d_o, o, width);
  const uint64_t index = g.dropout.IndexOf(shape, pair, t);
  for (int64_t s = 0; s < shape.KeysOf(t); ++s) {
    const float p =
        std::exp(scale * Dot(q.At(t), k.At(s), width) - g.log_sum[pair * shape.steps + t]);
    const float z = g.dropout.At(index, s);
    const float ds = scale * p * (Dot(d_o, v.At(s), width) * z - delta);
    AddScaled(p * z, d_o, dv.At(s), width);
    AddScaled(ds, q.At(t), dk.At(s), width);
    AddScaled(ds, k.At(s), dq.At(t), width);
  }
}

void Forward(Context& ctx, const AttentionFeature& feature) {
  AttentionFeature f = feature;
  f.dropout.numbers = InStep(f.dropout.numbers, ctx.device_state);
  for (int64_t pair = 0; pair < f.shape.pairs(); ++pair)
    for (int64_t t = f.first; t < f.shape.steps; ++t)
      ForwardStep(f, pair, t, static_cast<float*>(f.scratch));
}

void Backward(Context& ctx, const AttentionGradient& gradient) {
  AttentionGradient g = gradient;
  g.dropout.numbers = InStep(g.dropout.numbers, ctx.device_state);
  std::fill_n(g.dqkv, g.shape.steps * g.shape.rows * 3 * g.shape.units(), 0.f);
  for (int64_t pair = 0; pair < g.shape.pairs(); ++pair)
    for (int64_t t = 0; t < g.shape.steps; ++t) BackwardStep(g, pair, t);
}

[[maybe_unused]] const bool registered =
    AttentionForward.Set(Device::kCpu, Forward) && AttentionBackward.Set(Device::kCpu, Backward);

}  // namespace
}  // namespace singa
