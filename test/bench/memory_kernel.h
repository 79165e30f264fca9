// AddMemoryKernel measures a kernel that memory bounds, in three forms of one size: plain, as a job
// runs it, and a copy of as many bytes. The names are NAME/plain/1, NAME/best/1 and NAME/copy/1,
// and the last two also on 2 threads. memory_kernels.py makes a table of them.
#pragma once

#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstring>
#include <functional>
#include <string>

#include "math/parallel_slices.h"
#include "singa/tensor/tensor.h"

namespace singa {

// Returns n numbers around 0, not all the same.
inline Tensor Numbers(int64_t n) {
  Tensor tensor = Tensor::Allocate({n});
  for (int64_t i = 0; i < n; ++i)
    tensor.data()[i] = static_cast<float>(i * 7919 % 10007) / 10007 - 0.4f;
  return tensor;
}

// Makes the timed call. The call owns its tensors and sets ctx's scratch.
using KernelMaker = std::function<std::function<void()>(Context& ctx)>;

// Makes a copy that reads and writes half of `bytes` each.
inline KernelMaker CopyOf(int64_t bytes) {
  return [bytes](Context& ctx) {
    const Tensor from = Numbers(bytes / 8);
    Tensor to = Numbers(bytes / 8);
    return [&ctx, from, to]() mutable {
      ParallelSlices(ctx, from.size(), [&](int64_t begin, int64_t end) {
        std::memcpy(to.data() + begin, from.data() + begin, (end - begin) * sizeof(float));
      });
      benchmark::ClobberMemory();
    };
  };
}

// `bytes` is the size of all tensors that the kernel must read or write, once each.
inline bool AddMemoryKernel(const std::string& name, int64_t bytes, const KernelMaker& make) {
  const auto add = [&](const char* kind, int threads, bool plain, const KernelMaker& maker) {
    const auto run = [=](benchmark::State& state) {
      Context ctx;
      ctx.threads = threads;
      ctx.plain = plain;
      omp_set_num_threads(threads);
      const std::function<void()> call = maker(ctx);
      call();
      for (auto _ : state) call();
      state.SetBytesProcessed(state.iterations() * bytes);
    };
    benchmark::RegisterBenchmark((name + "/" + kind + "/" + std::to_string(threads)).c_str(), run)
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("plain", 1, true, make);
  for (int threads : {1, 2}) {
    add("best", threads, false, make);
    add("copy", threads, false, CopyOf(bytes));
  }
  return true;
}

}  // namespace singa
