// Kernels that change the colours of images at random, as torchvision's ColorJitter does:
// brightness, contrast, saturation, hue, in this order. Numbers are from 0 to 255 and stay there.
#pragma once

#include "nn/feature/window.h"
#include "nn/input/image_preprocess.h"
#include "singa/nn/port.h"
#include "singa/tensor/kernel.h"

namespace singa {

// How one image's colours change: three factors, and the turn of its hue (1: a whole circle).
// grey: the mean of its greys after brightness, which contrast keeps.
struct Tint {
  float brightness = 1, contrast = 1, saturation = 1, hue = 0, grey = 0;
};

// A factor is from [max(0, 1 - x), 1 + x], the turn from [-hue, hue].
struct TintRules {
  float brightness, contrast, saturation, hue;
};

// Number of partial sums of an image's greys. It is constant, so threads do not change the result.
inline constexpr int64_t kGreyParts = 64;

// Draws tints [n] for the rows of `span`; grey is 0. A tint depends only on (stream, step, global
// row).
inline constinit Kernel<void(Philox stream, RowSpan span, TintRules rules, Tint* tints, int64_t n)>
    DrawTints{"DrawTints"};

// Sets grey of tints [n]. y: [n, h, w, 3]; parts: [n, kGreyParts], overwritten.
inline constinit Kernel<void(const float* y, ImageShape shape, Tint* tints, float* parts)>
    GreyMeans{"GreyMeans"};

// y = scale * (tinted y - mean), in place; 0 where the cut is not in the source. y: [n, h, w, 3],
// the cuts of images of shape `from`, neither scaled nor minus the mean; mean: [from.h, from.w, 3],
// or null.
inline constinit Kernel<void(float* y, ImageShape shape, const Tint* tints, ImageShape from,
                             const float* mean, const Cut* cuts, float scale)>
    JitterColours{"JitterColours"};

}  // namespace singa
