// Measures the passes of layer normalisation over features of text models.
#include "memory_kernel.h"
#include "nn/neuron/layer_norm.h"

namespace singa {
namespace {

struct Batch {
  Batch(int64_t rows, int64_t units)
      : n(rows),
        d(units),
        x(Numbers(n * d)),
        dy(Numbers(n * d)),
        out(Numbers(n * d)),
        params(Numbers(4 * d)),
        moments(Numbers(2 * n)),
        partial(Numbers(LayerNormBlocks(n) * 2 * d)) {}
  int64_t n, d;
  Tensor x, dy, out, params, moments, partial;

  float* param(int64_t i) { return params.data() + i * d; }
  LayerNormRows rows() { return {moments.data(), moments.data() + n}; }
};

template <typename Pass>
bool AddPass(const char* name, int64_t n, int64_t d, int64_t tensors, const Pass& pass) {
  const int64_t bytes = tensors * n * d * static_cast<int64_t>(sizeof(float));
  return AddMemoryKernel(StrCat(name, ", [", n, ", ", d, "]"), bytes,
                         [=](Context& ctx) -> std::function<void()> {
                           return [&ctx, pass, batch = Batch(n, d)]() mutable { pass(ctx, batch); };
                         });
}

bool Add(int64_t n, int64_t d) {
  AddPass("LayerNormForward", n, d, 2, [](Context& ctx, Batch& b) {
    LayerNormForward(ctx, b.x.data(), b.param(0), b.param(1), 1e-5f, b.out.data(), b.rows(), b.n,
                     b.d);
  });
  return AddPass("LayerNormBackward", n, d, 3, [](Context& ctx, Batch& b) {
    LayerNormBackward(ctx, b.x.data(), b.param(0), b.dy.data(), b.rows(),
                      {b.out.data(), b.param(2), 0, b.param(3), 0}, b.partial.data(), b.n, b.d);
  });
}

[[maybe_unused]] const bool added = Add(12 * 64, 128) && Add(64 * 256, 768);

}  // namespace
}  // namespace singa
