// Launches kernels in the order of a context's work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tensor/gpu/cuda_stream.h"
#include "tensor/kernel/block.cuh"
#include "tensor/kernel/host_device.h"
#include "tensor/kernel/warp.cuh"

namespace singa {

// Runs kernel<<<blocks, threads>>>(args...) on the context's stream. More than 256 threads need a
// kernel with __launch_bounds__: a thread may take 255 of a block's 65536 registers. Throws
// DeviceError.
template <typename... Params, typename... Args>
void Launch(Context& ctx, void (*kernel)(Params...), int64_t blocks, int threads, Args&&... args) {
  kernel<<<static_cast<unsigned>(blocks), threads, 0, StreamOf(ctx)>>>(std::forward<Args>(args)...);
  CheckCuda(cudaGetLastError(), "a kernel's launch");
}

inline constexpr int kThreads = 256;      // in a block of elementwise work
inline constexpr int64_t kBlocks = 1056;  // most of a grid: 8 for each of 132 multiprocessors

inline int64_t BlocksFor(int64_t n) {
  return std::clamp<int64_t>((n + kThreads - 1) / kThreads, 1, kBlocks);
}

template <typename F>
__global__ void ForEachKernel(int64_t n, F f) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) f(i);
}
// Calls f(i) for each i < n, in any order; f: a struct with a SINGA_HD void operator()(int64_t)
// const.
template <typename F>
void ForEach(Context& ctx, int64_t n, const F& f) {
  if (n > 0) Launch(ctx, ForEachKernel<F>, BlocksFor(n), kThreads, n, f);
}

template <int threads, typename F>
__global__ void __launch_bounds__(threads) ForEachBlockKernel(int64_t n, F f) {
  for (int64_t i = blockIdx.x; i < n; i += gridDim.x) {
    f(Block(), i);
    __syncthreads();  // shared memory is used again
  }
}
// Calls f(block, i) for each i < n, by all threads of a block together; f: a struct with a template
// <typename B> SINGA_DEVICE void operator()(const B& block, int64_t i) const.
template <int threads = kThreads, typename F>
void ForEachBlock(Context& ctx, int64_t n, const F& f) {
  constexpr int64_t kMostBlocks = int64_t{1} << 20;
  if (n > 0) Launch(ctx, ForEachBlockKernel<threads, F>, std::min(n, kMostBlocks), threads, n, f);
}

template <typename F>
__global__ void ForEachWarpKernel(int64_t n, F f) {
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / 32);
  int64_t i = int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  for (; i < n; i += warps) {
    f(Warp(), i);
    __syncwarp();
  }
}
// Does this with a warp for each i, for small pieces of work that share no memory.
template <typename F>
void ForEachWarp(Context& ctx, int64_t n, const F& f) {
  if (n > 0) Launch(ctx, ForEachWarpKernel<F>, BlocksFor(n * 32), kThreads, n, f);
}

// Calls f(threads, i) for each of n rows of d numbers, by a warp for a short row and by a block for
// a long one.
template <typename F>
void ForEachRow(Context& ctx, int64_t n, int64_t d, const F& f) {
  constexpr int64_t kShortRow = 1024;
  if (d <= kShortRow)
    ForEachWarp(ctx, n, f);
  else
    ForEachBlock(ctx, n, f);
}

}  // namespace singa
