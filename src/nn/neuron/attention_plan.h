// AttentionPlan computes attention (attention.h) for one layer, by the kernels of this project or
// by a library's fused kernels, which support only certain shapes. The layer makes it in Prepare.
#pragma once

#include <memory>

#include "nn/neuron/attention.h"

namespace singa {

struct AttentionDesc {
  AttentionShape shape;      // with the largest number of steps
  int threads = 1;           // of AttentionScratch
  bool drops = false;        // dropout may leave weights out
  bool keeps_steps = false;  // calls may have fewer steps, or need only the last ones
  bool gradient = true;      // Backward may be called
};

// Calls may use scratch_bytes() of the scratch in their argument. Work is in the order of the
// context's stream.
class AttentionPlan {
 public:
  virtual ~AttentionPlan() = default;
  virtual const char* name() const = 0;
  virtual int64_t scratch_bytes() const = 0;
  virtual void Forward(Context& ctx, const AttentionFeature& f) = 0;
  virtual void Backward(Context& ctx, const AttentionGradient& g) = 0;
};

inline constinit PlanKernel<AttentionDesc, AttentionPlan> MakeAttention{"Attention"};

}  // namespace singa
