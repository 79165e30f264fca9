// Convolution is the cross-correlation of images with filters:
//   y[n, f, i, j] = b[f] + sum over c, p, q of
//                   W[f, c, p, q] x[n, c, i s - pad + p d, j s - pad + q d]
// where x is 0 outside the image, s is the stride and d the dilation. With G groups the channels of
// x and y are G runs, and channels c of a sum are those of y's own run. Equals
// torch.nn.functional.conv2d.
#pragma once

#include <memory>

#include "nn/feature/window.h"
#include "singa/tensor/kernel.h"

namespace singa {

struct ConvolutionDesc {
  ImageShape in, out;
  Window window;
  bool bias = false;
  int64_t groups = 1;  // divides in.c and out.c
  // Whether BackwardData, and BackwardWeights, are ever called.
  bool data_gradient = true, weight_gradient = true;

  // Return the channels of x and of y in a group.
  SINGA_HD int64_t channels() const { return in.c / groups; }
  SINGA_HD int64_t filters() const { return out.c / groups; }
  // Return the weights of a filter, and of all filters.
  SINGA_HD int64_t filter_size() const { return channels() * window.area(); }
  SINGA_HD int64_t weight_size() const { return out.c * filter_size(); }
  SINGA_HD bool dilated() const { return window.y.dilation > 1 || window.x.dilation > 1; }
};

// Gradients that a backward pass writes; null: not needed.
struct ConvolutionGradients {
  float* dw = nullptr;
  float beta = 0;  // factor of the old dw, as in BackwardWeights
  float* db = nullptr;
  float bias_beta = 0;
  float* dx = nullptr;
};

// The prepared convolution of one layer. x, dx: [n, h, w, c]; y, dy: [n, oh, ow, f];
// w, dw: [f, c / groups, kh, kw] (logical order); b, db: [f]. All calls may use scratch_bytes() of
// Context::scratch.
class ConvolutionPlan {
 public:
  virtual ~ConvolutionPlan() = default;
  virtual const char* name() const = 0;
  virtual int64_t scratch_bytes() const = 0;
  // REQUIRES: b is null if the desc has no bias.
  virtual void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y) = 0;
  virtual void BackwardData(Context& ctx, const float* dy, const float* w, float* dx) = 0;
  // dw = beta dw + gradient, db = bias_beta db + gradient; with beta 0 the old content is not read.
  // db may be null.
  virtual void BackwardWeights(Context& ctx, const float* x, const float* dy, float beta, float* dw,
                               float bias_beta, float* db) = 0;
  // Computes the gradients that are not null. REQUIRES: db is null if dw is.
  virtual void Backward(Context& ctx, const float* x, const float* w, const float* dy,
                        const ConvolutionGradients& to) {
    if (to.dw) BackwardWeights(ctx, x, dy, to.beta, to.dw, to.bias_beta, to.db);
    if (to.dx) BackwardData(ctx, dy, w, to.dx);
  }
};

inline constinit PlanKernel<ConvolutionDesc, ConvolutionPlan> MakeConvolution{"Convolution"};

}  // namespace singa
