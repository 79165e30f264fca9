// Measures the computations of kSoftmaxLoss, with ten classes and with a thousand.
#include "math/reduction/softmax.h"
#include "math/reduction/top_k.h"
#include "memory_kernel.h"
#include "nn/loss/softmax_loss.h"

namespace singa {
namespace {

struct Rows {
  Rows(int64_t rows, int64_t classes)
      : n(rows),
        d(classes),
        x(Numbers(rows * classes)),
        p(Numbers(rows * classes)),
        dx(Numbers(rows * classes)),
        label(Tensor::Allocate({rows}, DType::kI32)) {
    for (int64_t i = 0; i < n; ++i) label.as<int32_t>()[i] = static_cast<int32_t>(i % d);
    for (int64_t i = 0; i < n * d; ++i) p.data()[i] += 0.5f;  // > 0
  }
  int64_t n, d;
  Tensor x, p, dx, label;
};

template <typename Pass>
bool AddPass(const char* name, int64_t n, int64_t d, int64_t tensors, const Pass& pass) {
  const int64_t bytes = tensors * n * d * static_cast<int64_t>(sizeof(float));
  return AddMemoryKernel(StrCat(name, ", [", n, ", ", d, "]"), bytes,
                         [=](Context& ctx) -> std::function<void()> {
                           return [&ctx, pass, rows = Rows(n, d)]() mutable { pass(ctx, rows); };
                         });
}

bool Add(int64_t n, int64_t d) {
  AddPass("SoftmaxForward", n, d, 2,
          [](Context& ctx, Rows& t) { SoftmaxForward(ctx, t.x.data(), t.dx.data(), t.n, t.d); });
  AddPass("CrossEntropy and CountTopK", n, d, 1, [](Context& ctx, Rows& t) {
    const int32_t* const label = t.label.as<int32_t>();
    double loss[2] = {}, accuracy[2] = {};
    CrossEntropy(ctx, t.p.data(), label, kNoneIgnored, loss, t.n, t.d, 0, 1);
    CountTopK(ctx, t.p.data(), label, kNoneIgnored, accuracy, t.n, t.d, 1);
    benchmark::DoNotOptimize(loss[0] + accuracy[0]);
  });
  return AddPass("SoftmaxLossBackward", n, d, 2, [](Context& ctx, Rows& t) {
    SoftmaxLossBackward(ctx, t.p.data(), t.label.as<int32_t>(), kNoneIgnored, t.dx.data(), t.n, t.d,
                        0.01f, 0);
  });
}

[[maybe_unused]] const bool added = Add(100, 10) && Add(128, 1000);

}  // namespace
}  // namespace singa
