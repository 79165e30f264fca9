// Applies functions of one number to every element, and their derivatives as functions of the
// result y or of the number x. x, y, dy, dx: [n]; y may be x, and dx may be dy.
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

// y = x Phi(x), with the distribution function Phi of N(0, 1). Equals torch.nn.functional.gelu.
inline constinit Kernel<void(const float* x, float* y, int64_t n)> GeluForward{"GeluForward"};
// dx = dy (Phi(x) + x phi(x)), with the density phi of N(0, 1).
inline constinit Kernel<void(const float* x, const float* dy, float* dx, int64_t n)> GeluBackward{
    "GeluBackward"};

// y = x s, s = 1 / (1 + exp(-x)). Equals torch.nn.functional.silu.
inline constinit Kernel<void(const float* x, float* y, int64_t n)> SiluForward{"SiluForward"};
// dx = dy s (1 + x (1 - s)).
inline constinit Kernel<void(const float* x, const float* dy, float* dx, int64_t n)> SiluBackward{
    "SiluBackward"};

// y as GeluForward and SiluForward, and slope = dy/dx: [n]; slope must not overlap x or y. Multiply
// then gives the gradient, with no second exponential.
inline constinit Kernel<void(const float* x, float* y, float* slope, int64_t n)> GeluWithSlope{
    "GeluWithSlope"};
inline constinit Kernel<void(const float* x, float* y, float* slope, int64_t n)> SiluWithSlope{
    "SiluWithSlope"};

// y = min(max(0, slope x + shift), top): torch relu6 with 1, 0, 6; hardsigmoid with 1/6, 1/2, 1.
inline constinit Kernel<void(const float* x, float* y, int64_t n, float slope, float shift,
                             float top)>
    RampForward{"RampForward"};
// dx = slope dy where 0 < y < top, else 0.
inline constinit Kernel<void(const float* y, const float* dy, float* dx, int64_t n, float slope,
                             float top)>
    RampBackward{"RampBackward"};

// y = x min(max(0, x / 6 + 1/2), 1). Equals torch.nn.functional.hardswish.
inline constinit Kernel<void(const float* x, float* y, int64_t n)> HardSwishForward{
    "HardSwishForward"};
// dx = dy (x / 3 + 1/2) where -3 < x < 3; above dy, below 0.
inline constinit Kernel<void(const float* x, const float* dy, float* dx, int64_t n)>
    HardSwishBackward{"HardSwishBackward"};

// y += x. x and y must not overlap.
inline constinit Kernel<void(const float* x, float* y, int64_t n)> AddTo{"AddTo"};

// y = x m, m: [n].
inline constinit Kernel<void(const float* x, const float* m, float* y, int64_t n)> Multiply{
    "Multiply"};

}  // namespace singa
