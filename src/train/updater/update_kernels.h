// One kernel slot per update rule: a single pass over w, g and the states. proto/updater.proto
// states the rules. Arrays have n elements and do not overlap.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// What every rule does to a gradient first: clip it, then add the weight decay's. NaN stays NaN.
struct GradientPrologue {
  float clip_low, clip_high, weight_decay;

  float operator()(float g, float w) const {
    g = g < clip_low ? clip_low : g;
    g = g > clip_high ? clip_high : g;
    return g + weight_decay * w;
  }
};

inline constinit Kernel<void(GradientPrologue, float lr, float* w, const float* g, int64_t n)>
    SgdUpdate{"SgdUpdate"};

inline constinit Kernel<void(GradientPrologue, float lr, float momentum, float*w, const float*g,
                             float*h, int64_t n)>
    MomentumUpdate{"MomentumUpdate"}, NesterovUpdate{"NesterovUpdate"};

inline constinit Kernel<void(GradientPrologue, float lr, float delta, float* w, const float* g,
                             float* h, int64_t n)>
    AdaGradUpdate{"AdaGradUpdate"};

// The decay of a running mean and its complement, rounded once.
struct Decay {
  Decay() = default;
  explicit Decay(float rate) : keep(rate), add(static_cast<float>(1 - double{rate})) {}
  float operator()(float mean, float x) const { return keep * mean + add * x; }

  float keep = 0, add = 1;
};

inline constinit Kernel<void(GradientPrologue, float lr, Decay rho, float delta, float* w,
                             const float* g, float* h, int64_t n)>
    RmsPropUpdate{"RmsPropUpdate"};

inline constinit Kernel<void(GradientPrologue, float lr, Decay rho, float delta, float* w,
                             const float* g, float* h, float* u, int64_t n)>
    AdaDeltaUpdate{"AdaDeltaUpdate"};

// rate: lr / (1 - beta1^t). root_scale: 1 / sqrt(1 - beta2^t).
inline constinit Kernel<void(GradientPrologue, float rate, float root_scale, Decay beta1,
                             Decay beta2, float delta, float* w, const float* g, float* m, float* v,
                             int64_t n)>
    AdamUpdate{"AdamUpdate"};
inline constinit Kernel<void(GradientPrologue, float rate, Decay beta1, float beta2, float delta,
                             float* w, const float* g, float* m, float* u, int64_t n)>
    AdaMaxUpdate{"AdaMaxUpdate"};

}  // namespace singa
