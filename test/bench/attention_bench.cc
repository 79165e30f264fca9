// Measures attention: its kernels for 12 heads, the products of their tiles, and a step of a
// kAttention of 12 heads of 64 numbers. Arguments: time steps, whether causal, threads; the kernels
// also take the width of a head. Shows GFLOP/s, the share of the peak of multiply-adds, which is
// measured just before, and the MiB of buffers and scratch. Operations count as in FlashAttention:
// 4 T^2 d forward, 10 T^2 d backward, half of it if causal; of the layer all products count.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "layer_step.h"
#include "math/gemm/tile_product.h"
#include "math/machine_peak.h"
#include "nn/neuron/attention.h"
#include "singa/math/gemm.h"

namespace singa {
namespace {

constexpr double kMiB = 1 << 20;

void Report(benchmark::State& state, double flops, double peak, int64_t bytes) {
  using benchmark::Counter;
  state.counters["GFLOP/s"] = Counter(1e-9 * flops, Counter::kIsIterationInvariantRate);
  state.counters["share"] = Counter(flops / peak, Counter::kIsIterationInvariantRate);
  state.counters["MiB"] = static_cast<double>(bytes) / kMiB;
}

// Tensors of 12 heads of one row.
class Heads {
 public:
  Heads(int64_t steps, int64_t width, bool causal, int threads)
      : shape_{steps, 1, 12, width, causal},
        threads_(threads),
        qkv_(LayerStep::Filled({steps, 3 * shape_.units()})),
        dqkv_(LayerStep::Filled({steps, 3 * shape_.units()})),
        o_(LayerStep::Filled({steps, shape_.units()})),
        d_o_(LayerStep::Filled({steps, shape_.units()})),
        log_sum_(LayerStep::Filled({shape_.pairs(), steps})),
        scratch_(Tensor::Allocate({AttentionScratch(shape_, threads)}, DType::kU8)) {
    ctx_.threads = threads;
  }

  void Forward() {
    AttentionForward(ctx_, {.shape = shape_,
                            .dropout = {},
                            .qkv = qkv_.data(),
                            .o = o_.data(),
                            .log_sum = log_sum_.data(),
                            .scratch = scratch_.as<uint8_t>(),
                            .threads = threads_});
  }
  void Backward() {
    AttentionBackward(ctx_, {.shape = shape_,
                             .dropout = {},
                             .qkv = qkv_.data(),
                             .o = o_.data(),
                             .log_sum = log_sum_.data(),
                             .d_o = d_o_.data(),
                             .dqkv = dqkv_.data(),
                             .scratch = scratch_.as<uint8_t>(),
                             .threads = threads_});
  }

  // Returns the operations of a product of all steps with all steps.
  double flops() const {
    const auto steps = static_cast<double>(shape_.steps);
    return 2 * steps * steps * static_cast<double>(shape_.units()) / (shape_.causal ? 2 : 1);
  }
  int64_t bytes() const {
    return qkv_.bytes() + dqkv_.bytes() + o_.bytes() + d_o_.bytes() + log_sum_.bytes() +
           scratch_.bytes();
  }

 private:
  AttentionShape shape_;
  int threads_;
  Context ctx_;
  Tensor qkv_, dqkv_, o_, d_o_, log_sum_, scratch_;
};

enum Passes { kForward = 1, kBackward = 2 };

void RunKernels(benchmark::State& state, int passes) {
  const int threads = static_cast<int>(state.range(2));
  omp_set_num_threads(threads);
  Heads heads(state.range(0), state.range(3), state.range(1) != 0, threads);
  heads.Forward();
  const double peak = MeasureFmaPeak(threads);
  for (auto _ : state) {
    if (passes & kForward) heads.Forward();
    if (passes & kBackward) heads.Backward();
  }
  const int products = (passes & kForward ? 2 : 0) + (passes & kBackward ? 5 : 0);
  Report(state, products * heads.flops(), peak, heads.bytes());
}

void RunLayer(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(2));
  omp_set_num_threads(threads);
  LayerStep layer(StrCat("name: 'layer' type: kAttention unroll_len: ", state.range(0),
                         " attention_conf { num_heads: 12 causal: ", state.range(1), " }"),
                  {state.range(0), 1, 768}, true, threads);
  const double peak = MeasureFmaPeak(threads);
  for (auto _ : state) {
    layer.Forward();
    layer.Backward();
  }
  Report(state, layer.flops(), peak, layer.bytes());
}

// A product of a tile, by TileProduct or by Gemm: m, n, k, and whether a is transposed.
void RunTile(benchmark::State& state, bool ours) {
  omp_set_num_threads(1);
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const bool transposed = state.range(3) != 0;
  const Tensor a = LayerStep::Filled({m, k}), b = LayerStep::Filled({k, n});
  Tensor c = LayerStep::Filled({m, n});
  Context ctx;
  const double peak = MeasureFmaPeak(1);
  for (auto _ : state) {
    if (ours)
      TileProduct(m, n, k, {a.data(), transposed ? 1 : k, transposed ? m : 1}, b.data(), n, true,
                  c.data(), n);
    else
      Gemm(ctx, m, n, k, 1, {a.data(), transposed ? m : k, transposed}, {b.data(), n}, 1, c.data(),
           n);
  }
  Report(state, 2 * static_cast<double>(m * n * k), peak, 0);
}

void Tiles(benchmark::internal::Benchmark* bench) {
  bench->Args({48, 192, 64, 0})->Args({48, 64, 192, 0})->Args({192, 64, 48, 1})->UseRealTime();
}

void Kernels(benchmark::internal::Benchmark* bench) {
  for (int64_t threads : {1, 2})
    for (int64_t causal : {1, 0})
      for (int64_t width : {32, 64, 128}) bench->Args({1024, causal, threads, width});
  bench->UseRealTime()->Unit(benchmark::kMillisecond);
}

void Layers(benchmark::internal::Benchmark* bench) {
  for (int64_t steps : {1024, 2048, 4096}) bench->Args({steps, 1, 1});
  bench->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(RunKernels, forward, kForward)->Apply(Kernels);
BENCHMARK_CAPTURE(RunKernels, backward, kBackward)->Apply(Kernels);
BENCHMARK_CAPTURE(RunKernels, both, kForward | kBackward)->Apply(Kernels);
BENCHMARK_CAPTURE(RunTile, ours, true)->Apply(Tiles);
BENCHMARK_CAPTURE(RunTile, gemm, false)->Apply(Tiles);
BENCHMARK(RunLayer)->Apply(Layers);

}  // namespace
}  // namespace singa
