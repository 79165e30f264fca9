// Local response normalisation across channels (Krizhevsky et al., 2012) is, at each pixel:
//   s[i] = knorm + alpha / size * (sum of x[j]^2 over the channels j with |j - i| <= size / 2)
//   y[i] = x[i] s[i]^-beta
// This equals torch.nn.functional.local_response_norm.
#pragma once

#include <memory>

#include "nn/feature/window.h"
#include "singa/tensor/kernel.h"

namespace singa {

struct LrnDesc {
  ImageShape shape;
  int64_t size = 5;  // channels of a window; odd
  float alpha = 1, beta = 0.75, knorm = 1;
};

// The prepared normalisation of one layer. x, y, dy, dx: [n, h, w, c]. Calls may use
// scratch_bytes() of Context::scratch. Forward writes kept_bytes() to `kept`, which Backward reads.
class LrnPlan {
 public:
  virtual ~LrnPlan() = default;
  virtual const char* name() const = 0;
  virtual int64_t scratch_bytes() const = 0;
  virtual int64_t kept_bytes() const = 0;
  virtual void Forward(Context& ctx, const float* x, float* y, void* kept) = 0;
  virtual void Backward(Context& ctx, const float* x, const float* dy, const void* kept,
                        float* dx) = 0;
};

inline constinit PlanKernel<LrnDesc, LrnPlan> MakeLrn{"Lrn"};

}  // namespace singa
