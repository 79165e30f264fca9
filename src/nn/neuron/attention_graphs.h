// AttentionGraphs holds cuDNN's plans for attention without dropout (attention.h). Each is one
// fused kernel that keeps no weights of a softmax. All tensors are laid out as in AttentionFeature
// and AttentionGradient. qkv, o, d_o and dqkv have 16 bits and are aligned to 16 bytes; log_sum and
// delta, [b h, T], are float32. Factors of products, the softmax's weights too, have 16 bits; sums
// are float32.
#pragma once

#include <optional>

#include "math/library/cudnn_graph.h"
#include "nn/neuron/attention.h"

namespace singa {

class AttentionGraphs {
 public:
  // `workspace` is the maximum number of bytes for each call. Throws CudnnDeclines or DeviceError.
  // REQUIRES: IsHalf(precision).
  AttentionGraphs(const CudnnTarget& target, const AttentionShape& shape, Precision precision,
                  bool gradient, int64_t workspace);

  // Returns the bytes of workspace that a call may use.
  int64_t workspace_bytes() const;

  void Forward(Context& ctx, const uint16_t* qkv, uint16_t* o, float* log_sum,
               void* workspace) const;
  // Writes D of each step to `delta`. REQUIRES: the gradient was asked for.
  void Backward(Context& ctx, const uint16_t* qkv, const uint16_t* o, const float* log_sum,
                const uint16_t* d_o, uint16_t* dqkv, float* delta, void* workspace) const;

 private:
  const AttentionShape shape_;
  const CudnnPlan forward_;
  const std::optional<CudnnPlan> backward_;  // not set: never called
};

}  // namespace singa
