// ConvolutionGraphs holds cuDNN's plans for the products of a convolution. All tensors are
// channels-last, filters too: x, dx: [n, h, w, c]; y, dy: [n, oh, ow, f]; w, dw: [f, kh, kw, c /
// groups], aligned to 16 bytes; b: [f]. All have float32, or all have 16 bits and are aligned to 16
// bytes, as cuDNN has no engine that multiplies 16 bits and writes float32. Sums are float32, the
// bias included.
#pragma once

#include <optional>
#include <string>

#include "math/library/cudnn_graph.h"
#include "nn/neuron/convolution.h"

namespace singa {

class ConvolutionGraphs {
 public:
  // `workspace` is the maximum number of bytes for each call. Throws CudnnDeclines or DeviceError.
  ConvolutionGraphs(const CudnnTarget& target, const ConvolutionDesc& desc, Precision precision,
                    int64_t workspace);

  // Returns the bytes of workspace that a call may use.
  int64_t workspace_bytes() const;
  // Names the calls that run without tensor cores: "the forward pass, the weights' gradient", or
  // "".
  std::string WithoutTensorCores() const;
  // Returns whether Forward adds b. If not, it does not read b.
  bool adds_bias() const { return adds_bias_; }

  void Forward(Context& ctx, const void* x, const void* w, const void* b, void* y,
               void* workspace) const;
  void BackwardData(Context& ctx, const void* dy, const void* w, void* dx, void* workspace) const;
  void BackwardWeights(Context& ctx, const void* x, const void* dy, void* dw,
                       void* workspace) const;

 private:
  class Maker;

  explicit ConvolutionGraphs(const Maker& maker);

  bool adds_bias_ = false;
  CudnnPlan forward_;
  std::optional<CudnnPlan> data_, weights_;  // not set: never called
};

}  // namespace singa
