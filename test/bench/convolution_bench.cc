// Measures convolutions of the example nets, with plain and vendor kernels. Arguments: case,
// threads. Shows GFLOP/s of the nominal 2 n oh ow f c kh kw, c of a group.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "nn/neuron/convolution.h"
#include "singa/tensor/tensor.h"

namespace singa {
namespace {

ConvolutionDesc Desc(ImageShape in, int64_t filters, WindowSide side, int64_t groups = 1) {
  return {in, {in.n, filters, side.Count(in.h), side.Count(in.w)}, {side, side}, true, groups};
}

const ConvolutionDesc kCases[] = {
    Desc({64, 1, 28, 28}, 20, {5, 0, 1}),             // 0: MNIST conv1
    Desc({64, 20, 12, 12}, 50, {5, 0, 1}),            // 1: MNIST conv2
    Desc({100, 3, 32, 32}, 32, {5, 2, 1}),            // 2: CIFAR-10 conv1
    Desc({100, 32, 15, 15}, 32, {5, 2, 1}),           // 3: CIFAR-10 conv2
    Desc({100, 32, 7, 7}, 64, {5, 2, 1}),             // 4: CIFAR-10 conv3
    Desc({32, 3, 227, 227}, 96, {11, 0, 4}),          // 5: AlexNet conv1
    Desc({32, 96, 27, 27}, 256, {5, 2, 1}),           // 6: AlexNet conv2
    Desc({32, 256, 13, 13}, 384, {3, 1, 1}),          // 7: AlexNet conv3
    Desc({32, 32, 112, 112}, 32, {3, 1, 1}, 32),      // 8: MobileNet, depthwise
    Desc({32, 512, 14, 14}, 512, {3, 1, 1}, 512),     // 9: MobileNet, depthwise
    Desc({32, 128, 56, 56}, 128, {3, 1, 2}, 128),     // 10: MobileNet, depthwise, stride 2
    Desc({32, 20, 32, 32}, 20, {3, 1, 1}, 20),        // 11: depthwise, no whole vectors
    Desc({32, 64, 28, 28}, 64, {3, 1, 1}, 4),         // 12: groups of 16
    Desc({32, 40, 28, 28}, 40, {3, 1, 1}, 4),         // 13: groups of 10
    Desc({32, 64, 28, 28}, 64, {3, 2, 1, 2}),         // 14: dilated
    Desc({32, 128, 28, 28}, 128, {3, 2, 1, 2}, 128),  // 15: depthwise, dilated
    Desc({64, 16, 32, 32}, 16, {3, 1, 1}),            // 16: ResNet-20, first stage
    Desc({64, 32, 16, 16}, 32, {3, 1, 1}),            // 17: second stage
    Desc({64, 64, 8, 8}, 64, {3, 1, 1}),              // 18: third stage
};

class Fixture {
 public:
  Fixture(const benchmark::State& state, bool plain)
      : d_(kCases[state.range(0)]),
        columns_(d_.filter_size()),
        x(Tensor::Allocate({d_.in.size()})),
        dx(Tensor::Allocate({d_.in.size()})),
        y(Tensor::Allocate({d_.out.size()})),
        w(Tensor::Allocate({d_.out.c * columns_})),
        dw(Tensor::Allocate({d_.out.c * columns_})),
        b(Tensor::Allocate({d_.out.c})) {
    ctx.threads = static_cast<int>(state.range(1));
    omp_set_num_threads(ctx.threads);
    ctx.plain = plain;
    plan = MakeConvolution.Make(ctx, d_);
    scratch_ = Tensor::Allocate({plan->scratch_bytes() + 1}, DType::kU8);
    ctx.scratch = scratch_.as<uint8_t>();
    for (Tensor* t : {&x, &y, &w, &b})
      for (int64_t i = 0; i < t->size(); ++i) t->data()[i] = 0.001f * static_cast<float>(i % 997);
  }

  void Report(benchmark::State& state) const {
    const double products = static_cast<double>(d_.out.size()) * static_cast<double>(columns_);
    state.counters["GFLOP/s"] =
        benchmark::Counter(2e-9 * products, benchmark::Counter::kIsIterationInvariantRate);
    state.SetLabel(plan->name());
  }

  Context ctx;
  std::unique_ptr<ConvolutionPlan> plan;

 private:
  const ConvolutionDesc d_;
  const int64_t columns_;
  Tensor scratch_;

 public:
  Tensor x, dx, y, w, dw, b;
};

void Forward(benchmark::State& state, bool plain) {
  Fixture f(state, plain);
  for (auto _ : state) f.plan->Forward(f.ctx, f.x.data(), f.w.data(), f.b.data(), f.y.data());
  f.Report(state);
}

void BackwardData(benchmark::State& state, bool plain) {
  Fixture f(state, plain);
  for (auto _ : state) f.plan->BackwardData(f.ctx, f.y.data(), f.w.data(), f.dx.data());
  f.Report(state);
}

void BackwardWeights(benchmark::State& state, bool plain) {
  Fixture f(state, plain);
  for (auto _ : state)
    f.plan->BackwardWeights(f.ctx, f.x.data(), f.y.data(), 0, f.dw.data(), 0, f.b.data());
  f.Report(state);
}

void Vendor(benchmark::internal::Benchmark* bench) {
  for (int64_t threads : {1, 2})
    for (int64_t i = 0; i < std::ssize(kCases); ++i) bench->Args({i, threads});
  bench->UseRealTime()->Unit(benchmark::kMicrosecond);
}
void Plain(benchmark::internal::Benchmark* bench) {
  bench->Args({0, 1})->Args({1, 1})->UseRealTime()->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(Forward, vendor, false)->Apply(Vendor);
BENCHMARK_CAPTURE(BackwardData, vendor, false)->Apply(Vendor);
BENCHMARK_CAPTURE(BackwardWeights, vendor, false)->Apply(Vendor);
BENCHMARK_CAPTURE(Forward, plain, true)->Apply(Plain);
BENCHMARK_CAPTURE(BackwardData, plain, true)->Apply(Plain);
BENCHMARK_CAPTURE(BackwardWeights, plain, true)->Apply(Plain);

}  // namespace
}  // namespace singa
