// Block is the threads of a CUDA block that do one piece of work together. Code written for it also
// runs on the host, in tests, with a class of the same functions (test/support/emulated_block.h).
#pragma once

#include <cstdint>

namespace singa {

class Block {
 public:
  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int threads() const { return static_cast<int>(blockDim.x); }
  __device__ void Sync() const { __syncthreads(); }

  // Returns memory that the threads share: one T for each type T of a kernel. Its content is
  // undefined.
  template <typename T>
  __device__ T& Shared() const {
    __shared__ T value;
    return value;
  }

  // Adds n to a number that the threads share.
  __device__ void AddTo(uint32_t* number, uint32_t n) const { atomicAdd(number, n); }

  // These combine the values of all threads; each thread gets the same result. Sums are added in an
  // order that depends on threads() alone. REQUIRES: threads() is a multiple of 32.
  __device__ float Sum(float value) const {
    return Reduce(value, [](auto a, auto b) { return a + b; });
  }
  __device__ double Sum(double value) const {
    return Reduce(value, [](auto a, auto b) { return a + b; });
  }
  // A NaN is larger than any number.
  __device__ float Max(float value) const {
    return Reduce(value, [](float a, float b) { return a != a || a > b ? a : b; });
  }

 private:
  template <typename T, typename Join>
  __device__ T Reduce(T value, const Join& join) const {
    __shared__ T of_warps[32];
    for (int lanes = 16; lanes > 0; lanes /= 2)
      value = join(value, __shfl_xor_sync(0xFFFFFFFFu, value, lanes));
    const int warp = thread() / 32, warps = threads() / 32;
    __syncthreads();  // of_warps may still be read
    if (thread() % 32 == 0) of_warps[warp] = value;
    __syncthreads();
    value = of_warps[0];
    for (int w = 1; w < warps; ++w) value = join(value, of_warps[w]);
    return value;
  }
};

}  // namespace singa
