// Device code for one thread of the kernels of nn/input/image_preprocess.h. The plain kernel also
// draws its cuts by CutOf and scales parts by ScaledValue.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "nn/input/image_preprocess.h"
#include "tensor/kernel/host_device.h"

namespace singa {

SINGA_HD inline int64_t Rounded(double x) { return static_cast<int64_t>(std::floor(x + 0.5)); }

// Returns a cut of the source that is scaled, for row `row` of the whole batch, from blocks of the
// stream that no other cut uses. As RandomResizedCrop does, it tries 10 times, and then takes the
// largest part in the centre whose sides may have their ratio.
SINGA_HD inline Cut ScaledCutOf(const CutRules& rules, const Philox& random, int64_t row) {
  constexpr int64_t kFirstBlock = int64_t{1} << 40, kBlocksOfRow = 16;
  constexpr int kTries = 10;
  const auto high = static_cast<double>(rules.from_height);
  const auto wide = static_cast<double>(rules.from_width);
  const double least = rules.area_min, most = rules.area_max, aspects = rules.aspect_max;
  int64_t height = 0, width = 0;
  for (int k = 0; k < kTries; ++k) {
    const std::array<uint32_t, 4> words = random.Block(kFirstBlock + kBlocksOfRow * row + k);
    const double area =
        high * wide * (least + (most - least) * double{Philox::ToUniform(words[0])});
    const double aspect = std::pow(aspects, 2 * double{Philox::ToUniform(words[1])} - 1);
    width = Rounded(std::sqrt(area * aspect));
    height = Rounded(std::sqrt(area / aspect));
    if (width < 1 || width > rules.from_width || height < 1 || height > rules.from_height) continue;
    const uint64_t rows = rules.from_height - height + 1, columns = rules.from_width - width + 1;
    return {static_cast<int32_t>((words[2] * rows) >> 32),
            static_cast<int32_t>((words[3] * columns) >> 32), 0, static_cast<int32_t>(height),
            static_cast<int32_t>(width)};
  }
  height = std::min<int64_t>(rules.from_height, std::max<int64_t>(1, Rounded(wide * aspects)));
  width = std::min<int64_t>(rules.from_width, std::max<int64_t>(1, Rounded(high * aspects)));
  return {static_cast<int32_t>((rules.from_height - height) / 2),
          static_cast<int32_t>((rules.from_width - width) / 2), 0, static_cast<int32_t>(height),
          static_cast<int32_t>(width)};
}

// Returns the cut of row `row` of the whole batch. Its place is from blocks 3 row and 3 row + 1 of
// the stream, its flip from block 3 row + 2.
SINGA_HD inline Cut CutOf(const CutRules& rules, const Philox& random, int64_t row) {
  const int64_t room_y = rules.from_height - rules.height;
  const int64_t room_x = rules.from_width - rules.width;
  if (!rules.random) return {static_cast<int32_t>(room_y / 2), static_cast<int32_t>(room_x / 2), 0};
  const bool mirror = rules.mirror && random.Below(3 * row + 2, 2) == 1;
  if (rules.area_min > 0) {
    Cut cut = ScaledCutOf(rules, random, row);
    cut.mirror = mirror;
    return cut;
  }
  const auto y = static_cast<int64_t>(random.Below(3 * row, room_y + 2 * rules.pad + 1));
  const auto x = static_cast<int64_t>(random.Below(3 * row + 1, room_x + 2 * rules.pad + 1));
  return {static_cast<int32_t>(y - rules.pad), static_cast<int32_t>(x - rules.pad), mirror};
}

// Draws for row r of a worker what DrawnOf gives for this row of the whole batch.
template <typename Rules, typename Drawn, Drawn DrawnOf(const Rules&, const Philox&, int64_t row)>
struct DrawEachRow {
  Philox stream;
  const StepState* state;  // not null: replaces the step of the stream
  RowSpan span;
  Rules rules;
  Drawn* drawn;

  SINGA_HD void operator()(int64_t r) const {
    drawn[r] = DrawnOf(rules, InStep(stream, state), span.GlobalRow(r));
  }
};
using DrawCut = DrawEachRow<CutRules, Cut, CutOf>;

// A place between two neighbouring pixels of a side. At the ends of the side both are the same.
struct ScaledPlace {
  int64_t first, next;
  float weight;  // of `next`, in [0, 1]
};

// Scales `from` pixels, from `begin` on, to `to` pixels. Returns the place of pixel i of the result
// in the source: torch's interpolate (bilinear, align_corners false, without antialias).
SINGA_HD inline ScaledPlace ScaledPlaceOf(int64_t i, int64_t begin, int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double at = std::max(0., (static_cast<double>(i) + 0.5) * scale - 0.5);
  const auto whole = std::min(static_cast<int64_t>(at), from - 1);
  return {begin + whole, begin + std::min(whole + 1, from - 1),
          static_cast<float>(at - static_cast<double>(whole))};
}

// Returns channel c of an image of shape (h, w, c) between four pixels.
SINGA_HD inline float ScaledValue(const float* image, const ImageShape& shape,
                                  const ScaledPlace& rows, const ScaledPlace& columns, int64_t c) {
  const float* const upper = image + rows.first * shape.w * shape.c + c;
  const float* const lower = image + rows.next * shape.w * shape.c + c;
  const int64_t left = columns.first * shape.c, right = columns.next * shape.c;
  const float above = upper[left] + columns.weight * (upper[right] - upper[left]);
  const float below = lower[left] + columns.weight * (lower[right] - lower[left]);
  return above + rows.weight * (below - above);
}

// Computes element i of y.
struct CutElement {
  const float* x;
  ImageShape from, to;  // to: shape of an image of y
  const float* mean;    // may be null
  const Cut* cuts;
  float scale;
  float* y;

  SINGA_HD void operator()(int64_t i) const {
    const ImagePosition p = PositionOf(to, i);
    const Cut cut = cuts[p.n];
    const float* const image = x + p.n * from.pixels() * from.c;
    const int64_t across = cut.mirror ? to.w - 1 - p.x : p.x;
    if (cut.height > 0) {
      const ScaledPlace rows = ScaledPlaceOf(p.y, cut.y, cut.height, to.h);
      const ScaledPlace columns = ScaledPlaceOf(across, cut.x, cut.width, to.w);
      const float value = ScaledValue(image, from, rows, columns, p.c);
      y[i] = scale * (mean ? value - ScaledValue(mean, from, rows, columns, p.c) : value);
      return;
    }
    const int64_t row = cut.y + p.y, column = cut.x + across;
    if (row < 0 || row >= from.h || column < 0 || column >= from.w) {
      y[i] = 0;
      return;
    }
    const int64_t at = (row * from.w + column) * from.c + p.c;
    y[i] = mean ? scale * (image[at] - mean[at]) : scale * image[at];
  }
};

}  // namespace singa
