#include "nn/input/colour_jitter.h"

#include "math/parallel_slices.h"
#include "nn/input/colour_elements.h"

namespace singa {
namespace {

void DrawAllTints(Context& ctx, Philox stream, RowSpan span, TintRules rules, Tint* tints,
                  int64_t n) {
  const DrawTint draw{stream, ctx.device_state, span, rules, tints};
  for (int64_t r = 0; r < n; ++r) draw(r);
}

void AddGreys(Context& ctx, const float* y, ImageShape shape, Tint* tints, float* parts) {
  const GreyPart add{y, shape.pixels(), tints, parts};
  const GreyMean divide{parts, shape.pixels(), tints};
  const int64_t size = shape.pixels() * shape.c;  // of an image
  ParallelSlices(ctx, shape.n * size, size, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin / size; n < end / size; ++n) {
      for (int64_t k = 0; k < kGreyParts; ++k) add(n * kGreyParts + k);
      divide(n);
    }
  });
}

void Jitter(Context& ctx, float* y, ImageShape shape, const Tint* tints, ImageShape from,
            const float* mean, const Cut* cuts, float scale) {
  const JitterPixel jitter{y, shape, from, tints, mean, cuts, scale};
  ParallelSlices(ctx, shape.size(), shape.c, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin / shape.c; i < end / shape.c; ++i) jitter(i);
  });
}

[[maybe_unused]] const bool registered = DrawTints.Set(Device::kCpu, DrawAllTints) &&
                                         GreyMeans.Set(Device::kCpu, AddGreys) &&
                                         JitterColours.Set(Device::kCpu, Jitter);

}  // namespace
}  // namespace singa
