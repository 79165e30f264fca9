// Cutting images out of larger ones.
#pragma once

#include <string>

#include "nn/neuron/window.h"
#include "singa/nn/layer.h"
#include "singa/nn/port.h"
#include "singa/tensor/kernel.h"

namespace singa {

// Where one image's cut begins, in pixels of the source; may be negative, and reach beyond it:
// what is outside is 0. mirror: 1 to swap left and right.
struct Cut {
  int32_t y = 0, x = 0, mirror = 0;
};

// Where cuts of `height` x `width` pixels lie in images of `from_height` x `from_width`: in the
// centre, or, if `random`, anywhere in the image with `pad` pixels around it, and then, if
// `mirror`, one in two swapped.
struct CutRules {
  int64_t from_height, from_width, height, width, pad;
  bool random, mirror;
};

// cuts: [n], of the rows of `span`. A random one belongs to (stream, step, global row).
inline constinit Kernel<void(Philox stream, RowSpan span, CutRules rules, Cut* cuts, int64_t n)>
    DrawCuts{"DrawCuts"};

// y[n] = scale times the cut of x[n] - mean. x: [n, h, w, c]; mean: [h, w, c], or null; y: [n,
// height, width, c].
inline constinit Kernel<void(const float* x, ImageShape shape, const float* mean, const Cut* cuts,
                             float scale, float* y, int64_t height, int64_t width)>
    CutImages{"CutImages"};

// kImagePreprocess, kRGBImage.
class CuttingLayer : public Layer {
 public:
  // Cuts are drawn from the stream of this name; else from the one of the layer's own. REQUIRES:
  // Setup was called.
  void DrawAs(const std::string& stream) { stream_ = stream; }
  const std::string& stream() const { return stream_; }

 protected:
  std::string stream_;
};

}  // namespace singa
