// Layer normalisation gives each row of a feature the mean 0 and the variance 1 over its d units:
//   y = scale h + shift,  h = (x - mean) inverse,  inverse = 1 / sqrt(variance + epsilon)
// The variance is the biased one. With u = scale dy, and means over the units of a row:
//   dx = inverse (u - mean of u - h mean of u h)
//   dscale = sum over the rows of dy h,  dshift = sum over the rows of dy
// Source: Ba, Kiros and Hinton, arXiv:1607.06450. Equals torch.nn.functional.layer_norm.
#pragma once

#include <algorithm>

#include "singa/tensor/kernel.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// Mean and inverse of each row, [n] each. The feature's kernel writes them for the gradient's.
struct LayerNormRows {
  float *mean, *inverse;
};

// x, y: [n, d]; scale, shift: [d].
inline constinit Kernel<void(const float* x, const float* scale, const float* shift, float epsilon,
                             float* y, LayerNormRows rows, int64_t n, int64_t d)>
    LayerNormForward{"LayerNormForward"};

// Where the gradients go. Null: not wanted. Betas are 0 (the old value is not read) or 1.
struct LayerNormGradients {
  float* dx;      // [n, d]; overwritten
  float* dscale;  // [d]: beta dscale + its sum
  float scale_beta;
  float* dshift;  // [d]
  float shift_beta;

  bool of_params() const { return dscale || dshift; }

  // Adds the sums of unit j to the gradients of params.
  SINGA_HD void AddParams(int64_t j, double of_scale, double of_shift) const {
    if (dscale) Add(of_scale, scale_beta, &dscale[j]);
    if (dshift) Add(of_shift, shift_beta, &dshift[j]);
  }

 private:
  SINGA_HD static void Add(double sum, float beta, float* gradient) {
    *gradient = static_cast<float>(beta == 0 ? sum : *gradient + sum);
  }
};

// Rows whose sums are added up in float32; sums of such blocks are added in float64. It depends on
// the number of rows alone, so threads change no bit. There are about 64 blocks for many threads.
inline int64_t LayerNormBlockRows(int64_t n) { return std::clamp<int64_t>((n + 63) / 64, 8, 256); }
inline int64_t LayerNormBlocks(int64_t n) {
  const int64_t rows = LayerNormBlockRows(n);
  return (n + rows - 1) / rows;
}

// dy: [n, d]; partial: scratch memory for [LayerNormBlocks(n), 2, d], if gradients of params are
// wanted.
inline constinit Kernel<void(const float* x, const float* scale, const float* dy,
                             LayerNormRows rows, LayerNormGradients to, float* partial, int64_t n,
                             int64_t d)>
    LayerNormBackward{"LayerNormBackward"};

}  // namespace singa
