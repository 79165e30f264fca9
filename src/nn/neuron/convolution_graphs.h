// The products of a convolution that its desc asks for as cuDNN's plans. All tensors are
// channels-last, filters too: x, dx: [n, h, w, c]; y, dy: [n, oh, ow, f]; w, dw: [f, kh, kw, c],
// aligned to 16 bytes; b: [f]. All of them are float32, or all of 16 bits and then aligned to 16
// bytes: for such factors cuDNN has no engine that writes float32. Sums are float32, bias and all.
#pragma once

#include <optional>
#include <string>

#include "math/library/cudnn_graph.h"
#include "nn/neuron/convolution.h"

namespace singa {

class ConvolutionGraphs {
 public:
  // `workspace`: bytes that each call may use at most. Throws CudnnDeclines, DeviceError.
  ConvolutionGraphs(const CudnnTarget& target, const ConvolutionDesc& desc, Precision precision,
                    int64_t workspace);

  // Of the workspace that each of the calls may use.
  int64_t workspace_bytes() const;
  // Which calls run without tensor cores: "the forward pass, the weights' gradient", or "".
  std::string WithoutTensorCores() const;
  // Whether Forward adds b; it does not read it otherwise.
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
  std::optional<CudnnPlan> data_, weights_;  // none: never called
};

}  // namespace singa
