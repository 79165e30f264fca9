// Device code for one thread of the kernels of nn/input/colour_jitter.h, which the plain kernels
// run, too.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "nn/input/colour_jitter.h"
#include "nn/input/image_elements.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// torchvision's rgb_to_grayscale.
SINGA_HD inline float GreyOfColour(const float* rgb) {
  return 0.2989f * rgb[0] + 0.587f * rgb[1] + 0.114f * rgb[2];
}

SINGA_HD inline float InRange(float x) { return std::min(std::max(x, 0.f), 255.f); }

SINGA_HD inline float FactorOf(float most, uint32_t word) {
  const float low = std::max(0.f, 1 - most);
  return low + (1 + most - low) * Philox::ToUniform(word);
}

// Returns the tint of row `row` of the whole batch, from a block of the stream that no cut uses.
SINGA_HD inline Tint TintOf(const TintRules& rules, const Philox& random, int64_t row) {
  constexpr int64_t kFirstBlock = int64_t{1} << 41;
  const std::array<uint32_t, 4> words = random.Block(kFirstBlock + row);
  return {FactorOf(rules.brightness, words[0]), FactorOf(rules.contrast, words[1]),
          FactorOf(rules.saturation, words[2]), rules.hue * (2 * Philox::ToUniform(words[3]) - 1),
          0};
}
using DrawTint = DrawEachRow<TintRules, Tint, TintOf>;

// Computes element i of the sums of greys: of every kGreyParts-th pixel of an image.
struct GreyPart {
  const float* y;
  int64_t pixels;  // of an image
  const Tint* tints;
  float* parts;

  SINGA_HD void operator()(int64_t i) const {
    const int64_t n = i / kGreyParts;
    const float brightness = tints[n].brightness;
    float sum = 0;
    for (int64_t p = i % kGreyParts; p < pixels; p += kGreyParts) {
      const float* const rgb = y + (n * pixels + p) * 3;
      const float bright[3] = {InRange(brightness * rgb[0]), InRange(brightness * rgb[1]),
                               InRange(brightness * rgb[2])};
      sum += GreyOfColour(bright);
    }
    parts[i] = sum;
  }
};

// Sets the grey of image n.
struct GreyMean {
  const float* parts;
  int64_t pixels;
  Tint* tints;

  SINGA_HD void operator()(int64_t n) const {
    float sum = 0;
    for (int64_t k = 0; k < kGreyParts; ++k) sum += parts[n * kGreyParts + k];
    tints[n].grey = sum / static_cast<float>(pixels);
  }
};

// Turns the hue of a colour in the model of hue, saturation and value; `turn` 1 is the whole
// circle.
SINGA_HD inline void TurnHue(float turn, float* rgb) {
  const float r = rgb[0], g = rgb[1], b = rgb[2];
  const float most = std::max(r, std::max(g, b)), range = most - std::min(r, std::min(g, b));
  if (range == 0) return;  // a grey has no hue
  float hue = (most == r   ? (g - b) / range
               : most == g ? 2 + (b - r) / range
                           : 4 + (r - g) / range) /
                  6 +
              turn;
  hue = (hue - std::floor(hue)) * 6;
  const float part = hue - std::floor(hue);
  const float least = most - range, falls = most - range * part, rises = most - range * (1 - part);
  // The colours of each sixth of the circle. Rounding may give 6, which is 0.
  const int sixth = static_cast<int>(hue) % 6;
  rgb[0] = sixth == 0 || sixth == 5 ? most : sixth == 1 ? falls : sixth == 4 ? rises : least;
  rgb[1] = sixth == 1 || sixth == 2 ? most : sixth == 3 ? falls : sixth == 0 ? rises : least;
  rgb[2] = sixth == 3 || sixth == 4 ? most : sixth == 5 ? falls : sixth == 2 ? rises : least;
}

// Changes one pixel's colours.
SINGA_HD inline void ApplyTint(const Tint& tint, float* rgb) {
  for (int c = 0; c < 3; ++c) {
    const float bright = InRange(tint.brightness * rgb[c]);
    rgb[c] = InRange(tint.contrast * bright + (1 - tint.contrast) * tint.grey);
  }
  const float grey = GreyOfColour(rgb);
  for (int c = 0; c < 3; ++c)
    rgb[c] = InRange(tint.saturation * rgb[c] + (1 - tint.saturation) * grey);
  if (tint.hue != 0) TurnHue(tint.hue, rgb);
}

// Computes pixel i of y.
struct JitterPixel {
  float* y;
  ImageShape to, from;
  const Tint* tints;
  const float* mean;  // may be null
  const Cut* cuts;
  float scale;

  SINGA_HD void operator()(int64_t i) const {
    float* const rgb = y + i * 3;
    const ImagePosition p = PositionOf(to, i * 3);
    const Cut cut = cuts[p.n];
    const int64_t across = cut.mirror ? to.w - 1 - p.x : p.x;
    const bool scaled = cut.height > 0;
    const ScaledPlace rows = scaled ? ScaledPlaceOf(p.y, cut.y, cut.height, to.h)
                                    : ScaledPlace{cut.y + p.y, cut.y + p.y, 0};
    const ScaledPlace columns = scaled ? ScaledPlaceOf(across, cut.x, cut.width, to.w)
                                       : ScaledPlace{cut.x + across, cut.x + across, 0};
    if (rows.first < 0 || rows.first >= from.h || columns.first < 0 || columns.first >= from.w) {
      for (int c = 0; c < 3; ++c) rgb[c] = 0;
      return;
    }
    ApplyTint(tints[p.n], rgb);
    for (int c = 0; c < 3; ++c)
      rgb[c] = scale * (mean ? rgb[c] - ScaledValue(mean, from, rows, columns, c) : rgb[c]);
  }
};

}  // namespace singa
