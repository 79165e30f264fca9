// Warp is the 32 threads of a warp that do one piece of work together, with Block's functions.
#pragma once

namespace singa {

class Warp {
 public:
  __device__ int thread() const { return static_cast<int>(threadIdx.x % 32); }
  __device__ int threads() const { return 32; }
  __device__ void Sync() const { __syncwarp(); }

  __device__ float Sum(float value) const {
    return Reduce(value, [](float a, float b) { return a + b; });
  }
  __device__ double Sum(double value) const {
    return Reduce(value, [](double a, double b) { return a + b; });
  }
  // A NaN is larger than any number.
  __device__ float Max(float value) const {
    const float most = Reduce(value, [](float a, float b) { return a != a || a > b ? a : b; });
    return __shfl_sync(0xFFFFFFFFu, most, 0);  // lanes may differ in the sign of a zero
  }

 private:
  template <typename T, typename Join>
  __device__ T Reduce(T value, const Join& join) const {
    for (int lanes = 16; lanes > 0; lanes /= 2)
      value = join(value, __shfl_xor_sync(0xFFFFFFFFu, value, lanes));
    return value;
  }
};

}  // namespace singa
