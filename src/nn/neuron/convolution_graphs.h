// The three products of a convolution as cuDNN's plans. All tensors are channels-last, filters too:
// x, dx: [n, h, w, c]; y, dy: [n, oh, ow, f]; w, dw: [f, kh, kw, c], aligned to 16 bytes; b: [f].
#pragma once

#include "math/cudnn_graph.h"
#include "nn/neuron/convolution.h"

namespace singa {

class ConvolutionGraphs {
 public:
  // Throws CudnnDeclines, DeviceError.
  ConvolutionGraphs(const CudnnTarget& target, const ConvolutionDesc& desc,
                    const CudnnLimits& limits);

  // Of the workspace that each of the calls may use.
  int64_t workspace_bytes() const;
  // Whether Forward adds b; it does not read it otherwise.
  bool adds_bias() const { return adds_bias_; }

  void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y,
               void* workspace) const;
  void BackwardData(Context& ctx, const float* dy, const float* w, float* dx,
                    void* workspace) const;
  void BackwardWeights(Context& ctx, const float* x, const float* dy, float* dw,
                       void* workspace) const;

 private:
  bool adds_bias_ = false;
  CudnnPlan forward_, data_, weights_;
};

}  // namespace singa
