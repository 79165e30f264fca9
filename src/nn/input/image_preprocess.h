// DrawCuts and CutImages cut images out of larger ones.
#pragma once

#include <string>

#include "nn/feature/window.h"
#include "singa/nn/layer.h"
#include "singa/nn/port.h"
#include "singa/tensor/kernel.h"

namespace singa {

// Top left corner of one image's cut, in pixels of the source. A cut may reach beyond the source,
// where pixels are 0. mirror: 1 swaps left and right. height, width: pixels of the source that are
// scaled to the cut's size, all in the source; 0: as many as the cut has, so nothing is scaled.
struct Cut {
  int32_t y = 0, x = 0, mirror = 0, height = 0, width = 0;
};

// Rules for cuts of `height` x `width` pixels in images of `from_height` x `from_width`: in the
// centre or, if `random`, anywhere in the image with `pad` pixels around it. If also `mirror`, one
// cut in two is mirrored. If also area_min > 0, cuts are scaled parts, as torchvision's
// RandomResizedCrop draws them: their share of the area is in [area_min, area_max], and width /
// height in [1 / aspect_max, aspect_max].
struct CutRules {
  int64_t from_height, from_width, height, width, pad;
  bool random, mirror;
  float area_min = 0, area_max = 1, aspect_max = 1;
};

// Draws cuts [n] for the rows of `span`. A random cut depends only on (stream, step, global row).
inline constinit Kernel<void(Philox stream, RowSpan span, CutRules rules, Cut* cuts, int64_t n)>
    DrawCuts{"DrawCuts"};

// y[n] = scale times the cut of x[n] - mean. x: [n, h, w, c]; mean: [h, w, c], or null; y: [n,
// height, width, c]. Parts are scaled linearly between four pixels, as torch's interpolate.
inline constinit Kernel<void(const float* x, ImageShape shape, const float* mean, const Cut* cuts,
                             float scale, float* y, int64_t height, int64_t width)>
    CutImages{"CutImages"};

// The base class of kImagePreprocess and kRGBImage.
class CuttingLayer : public Layer {
 public:
  // Sets the random stream for cuts; by default it has the layer's name. REQUIRES: Setup was
  // called.
  void DrawAs(const std::string& stream) { stream_ = stream; }
  const std::string& stream() const { return stream_; }

 protected:
  std::string stream_;
};

}  // namespace singa
