// Measures poolings of the example nets, and the transposition before an inner product. Arguments:
// case, threads. Shows the bytes of the larger side per second.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "math/layout/transpose.h"
#include "nn/neuron/pooling.h"
#include "singa/tensor/tensor.h"

namespace singa {
namespace {

PoolingDesc Desc(ImageShape in, WindowSide side, bool max) {
  return {in, {in.n, in.c, side.Count(in.h), side.Count(in.w)}, {side, side}, max};
}

const PoolingDesc kCases[] = {
    Desc({64, 20, 24, 24}, {2, 0, 2}, true),    // 0: MNIST pool1
    Desc({64, 50, 8, 8}, {2, 0, 2}, true),      // 1: MNIST pool2
    Desc({100, 32, 32, 32}, {3, 0, 2}, true),   // 2: CIFAR-10 pool1
    Desc({100, 32, 15, 15}, {3, 0, 2}, false),  // 3: CIFAR-10 pool2
    Desc({100, 64, 7, 7}, {3, 0, 2}, false),    // 4: CIFAR-10 pool3
    Desc({32, 96, 55, 55}, {3, 0, 2}, true),    // 5: AlexNet pool1
};

void Run(benchmark::State& state, bool plain, bool forward) {
  const PoolingDesc& d = kCases[state.range(0)];
  Context ctx;
  ctx.threads = static_cast<int>(state.range(1));
  ctx.plain = plain;
  omp_set_num_threads(ctx.threads);
  const auto plan = MakePooling.Make(ctx, d);
  Tensor scratch = Tensor::Allocate({plan->scratch_bytes() + 1}, DType::kU8);
  Tensor winners = Tensor::Allocate({plan->winner_bytes() + 1}, DType::kU8);
  Tensor x = Tensor::Allocate({d.in.size()}), y = Tensor::Allocate({d.out.size()});
  ctx.scratch = scratch.as<uint8_t>();
  for (int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i * 7919 % 10007);
  plan->Forward(ctx, x.data(), y.data(), winners.as<uint8_t>());
  for (auto _ : state) {
    if (forward)
      plan->Forward(ctx, x.data(), y.data(), winners.as<uint8_t>());
    else
      plan->Backward(ctx, y.data(), winners.as<uint8_t>(), x.data());
  }
  state.SetBytesProcessed(state.iterations() * x.bytes());
  state.SetLabel(plan->name());
}

void Transpose(benchmark::State& state) {
  Context ctx;
  const int64_t n = state.range(0), rows = state.range(1), cols = state.range(2);
  Tensor x = Tensor::Allocate({n, rows, cols}), y = Tensor::Allocate({n, rows, cols});
  for (auto _ : state) TransposeEach(ctx, x.data(), y.data(), n, rows, cols);
  state.SetBytesProcessed(state.iterations() * x.bytes());
}

void Cases(benchmark::internal::Benchmark* bench) {
  for (int64_t threads : {1, 2})
    for (int64_t i = 0; i < std::ssize(kCases); ++i) bench->Args({i, threads});
  bench->UseRealTime()->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(Run, forward, false, true)->Apply(Cases);
BENCHMARK_CAPTURE(Run, backward, false, false)->Apply(Cases);
BENCHMARK_CAPTURE(Run, forward_plain, true, true)->Apply(Cases);
BENCHMARK_CAPTURE(Run, backward_plain, true, false)->Apply(Cases);
BENCHMARK(Transpose)
    ->Args({64, 16, 50})
    ->Args({64, 50, 16})
    ->Args({32, 36, 256})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace singa
