// A restricted Boltzmann machine (Smolensky, 1986) has a visible and a hidden layer that read each
// other. Contrastive divergence trains it (Hinton, "Training Products of Experts by Minimizing
// Contrastive Divergence", Neural Computation 2002):
//   hid = sigm(vis W^T + b_h), or without sigm where hidden units are gaussian
//   vis = sigm(s W + b_v), s a sample of hid
//   dW = (hid-^T vis- - hid+^T vis+) / batch; db likewise, of column sums
// + is the positive phase, from the data; - the end of the negative one. W: [hidden, visible].
#pragma once

#include "singa/nn/layer.h"
#include "singa/tensor/kernel.h"

namespace singa {

// Samples binary units: s[i] = 1 if s[i] < p[i], else 0. s holds uniform numbers on entry.
inline constinit Kernel<void(const float* p, float* s, int64_t n)> BinarySample{"BinarySample"};
// Samples units with gaussian noise: s[i] += p[i]. s holds normal numbers on entry.
inline constinit Kernel<void(const float* p, float* s, int64_t n)> GaussianSample{"GaussianSample"};

// The base class of both sides, which have the weight and a bias of their own units.
class RbmLayer : public Layer {
 public:
  // No gradient flows between the sides: each side computes its own from both phases.
  Traits traits() const override { return {.originates_gradient = true, .on_device = true}; }

 protected:
  // `units` is the number of units of this side.
  void SetUpSide(const LayerProto& conf, Declare& declare, int64_t rows, int64_t visible,
                 int64_t units);
  // Computes the bias's gradient. negative: [rows, units], the side's data at the end of the
  // negative phase; positive_sums: [units], its column sums in the positive phase.
  void BiasGradient(Context& ctx, const float* negative, const float* positive_sums,
                    int64_t batch) const;

  int64_t rows_ = 0, hidden_ = 0, visible_ = 0, units_ = 0;
  Param* weight_ = nullptr;
  Param* bias_ = nullptr;  // null: none
};

}  // namespace singa
