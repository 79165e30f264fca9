// Applies functions of one number to every element, and their derivatives as functions of the
// result. x, y, dy, dx: [n]; y may be x, and dx may be dy.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// y = x if x > 0, else slope x. NaN stays NaN. REQUIRES: slope >= 0.
inline constinit Kernel<void(const float* x, float* y, int64_t n, float slope)> ReluForward{
    "ReluForward"};
// dx = dy if y > 0, else slope dy.
inline constinit Kernel<void(const float* y, const float* dy, float* dx, int64_t n, float slope)>
    ReluBackward{"ReluBackward"};

// y = 1 / (1 + exp(-x)).
inline constinit Kernel<void(const float* x, float* y, int64_t n)> SigmoidForward{"SigmoidForward"};
// dx = dy y (1 - y).
inline constinit Kernel<void(const float* y, const float* dy, float* dx, int64_t n)>
    SigmoidBackward{"SigmoidBackward"};

// y = a tanh(b x).
inline constinit Kernel<void(const float* x, float* y, int64_t n, float a, float b)> TanhForward{
    "TanhForward"};
// dx = dy (a b - b / a y^2).
inline constinit Kernel<void(const float* y, const float* dy, float* dx, int64_t n, float a,
                             float b)>
    TanhBackward{"TanhBackward"};

// y += x. x and y must not overlap.
inline constinit Kernel<void(const float* x, float* y, int64_t n)> AddTo{"AddTo"};

// y = x m, m: [n].
inline constinit Kernel<void(const float* x, const float* m, float* y, int64_t n)> Multiply{
    "Multiply"};

}  // namespace singa
