// Measures the passes of batch normalisation over the features of examples/cifar10/bn.conf.
#include "memory_kernel.h"
#include "nn/neuron/batch_norm.h"

namespace singa {
namespace {

// Batch holds the tensors of all passes. Sums have room for the kernels' own partial ones.
struct Batch {
  Batch(int64_t r, int64_t channels)
      : rows(r),
        c(channels),
        x(Numbers(r * channels)),
        dy(Numbers(r * channels)),
        out(Numbers(r * channels)),
        a(Numbers(channels)),
        b(Numbers(channels)),
        d(Numbers(channels)),
        sums(Tensor::Allocate({2 * channels}, DType::kF64)),
        partial(Numbers(BatchPartialSize(r, channels))) {}
  int64_t rows, c;
  Tensor x, dy, out, a, b, d, sums, partial;
};

template <typename Pass>
bool AddPass(const char* name, int64_t rows, int64_t c, int64_t tensors, const Pass& pass) {
  const int64_t bytes = tensors * rows * c * static_cast<int64_t>(sizeof(float));
  return AddMemoryKernel(
      StrCat(name, ", [", rows, ", ", c, "]"), bytes, [=](Context& ctx) -> std::function<void()> {
        return [&ctx, pass, batch = Batch(rows, c)]() mutable { pass(ctx, batch); };
      });
}

// The function is that of the net's kReLU.
BatchFunction Function(const Batch& t) { return {t.a.data(), t.b.data(), 0}; }

bool Add(int64_t rows, int64_t c) {
  AddPass("BatchMoments", rows, c, 1, [](Context& ctx, Batch& t) {
    BatchMoments(ctx, t.x.data(), t.sums.as<double>(), t.sums.as<double>() + t.c, t.partial.data(),
                 t.rows, t.c);
  });
  AddPass("BatchApply", rows, c, 2, [](Context& ctx, Batch& t) {
    BatchApply(ctx, t.x.data(), Function(t), t.out.data(), t.rows, t.c);
  });
  AddPass("BatchGradientSums", rows, c, 2, [](Context& ctx, Batch& t) {
    BatchGradientSums(ctx, t.x.data(), Function(t), t.dy.data(), t.d.data(), t.sums.as<double>(),
                      t.sums.as<double>() + t.c, t.partial.data(), t.rows, t.c);
  });
  return AddPass("BatchGradient", rows, c, 3, [](Context& ctx, Batch& t) {
    BatchGradient(ctx, t.x.data(), Function(t), t.dy.data(), t.a.data(), t.b.data(), t.d.data(),
                  t.out.data(), t.rows, t.c);
  });
}

[[maybe_unused]] const bool added = Add(128 * 32 * 32, 32) && Add(128 * 8 * 8, 128);

}  // namespace
}  // namespace singa
