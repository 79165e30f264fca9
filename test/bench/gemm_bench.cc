// Measures Gemm at the shapes of an inner product v -> h with 64 rows: y = x w^T (or its transpose
// w x^T), dx = dy w, dw = dy^T x. oneDNN (which Gemm calls) and OpenBLAS compute it. Arguments: v,
// h, threads. Shows GFLOP/s.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <omp.h>

#include <vector>

#include "singa/math/gemm.h"

namespace singa {
namespace {

constexpr int64_t kRows = 64;

enum Pass { kFeature, kFeatureTransposed, kInputGradient, kWeightGradient };

struct Product {
  int64_t m, n, k;
  GemmOperand a, b;
};

class Operands {
 public:
  Operands(int64_t v, int64_t h)
      : v_(v), h_(h), x_(kRows * v, 0.5f), w_(h * v, 0.25f), y_(kRows * h, 0.125f) {}
  Product Of(Pass pass) const {
    switch (pass) {
      case kFeature:
        return {kRows, h_, v_, {x_.data(), v_}, Transposed(w_.data(), v_)};
      case kFeatureTransposed:
        return {h_, kRows, v_, {w_.data(), v_}, Transposed(x_.data(), v_)};
      case kInputGradient:
        return {kRows, v_, h_, {y_.data(), h_}, {w_.data(), v_}};
      default:
        return {h_, v_, kRows, Transposed(y_.data(), h_), {x_.data(), v_}};
    }
  }

 private:
  int64_t v_, h_;
  std::vector<float> x_, w_, y_;
};

void OpenBlas(const Product& p, float* c) {
  cblas_sgemm(CblasRowMajor, p.a.transposed ? CblasTrans : CblasNoTrans,
              p.b.transposed ? CblasTrans : CblasNoTrans, p.m, p.n, p.k, 1, p.a.data, p.a.ld,
              p.b.data, p.b.ld, 0, c, p.n);
}

void Run(benchmark::State& state, Pass pass, bool ours) {
  const int threads = static_cast<int>(state.range(2));
  omp_set_num_threads(threads);
  openblas_set_num_threads(threads);
  Context ctx;
  ctx.threads = threads;
  const Operands operands(state.range(0), state.range(1));
  const Product p = operands.Of(pass);
  std::vector<float> c(p.m * p.n);
  for (auto _ : state) {
    if (ours)
      Gemm(ctx, p.m, p.n, p.k, 1, p.a, p.b, 0, c.data(), p.n);
    else
      OpenBlas(p, c.data());
  }
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * static_cast<double>(p.m * p.n * p.k),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

void MlpShapes(benchmark::internal::Benchmark* bench) {
  for (int64_t threads : {1, 2})
    for (auto [v, h] : {std::pair{784, 2500}, {2500, 2000}, {1500, 1000}, {800, 500}, {500, 10}})
      bench->Args({v, h, threads});
  bench->UseRealTime()->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(Run, feature, kFeature, true)->Apply(MlpShapes);
BENCHMARK_CAPTURE(Run, feature_transposed, kFeatureTransposed, true)->Apply(MlpShapes);
BENCHMARK_CAPTURE(Run, input_gradient, kInputGradient, true)->Apply(MlpShapes);
BENCHMARK_CAPTURE(Run, weight_gradient, kWeightGradient, true)->Apply(MlpShapes);
BENCHMARK_CAPTURE(Run, feature_openblas, kFeature, false)->Apply(MlpShapes);
BENCHMARK_CAPTURE(Run, input_gradient_openblas, kInputGradient, false)->Apply(MlpShapes);
BENCHMARK_CAPTURE(Run, weight_gradient_openblas, kWeightGradient, false)->Apply(MlpShapes);

}  // namespace
}  // namespace singa
