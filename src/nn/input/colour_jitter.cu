#include "nn/input/colour_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void DrawAllTints(Context& ctx, Philox stream, RowSpan span, TintRules rules, Tint* tints,
                  int64_t n) {
  ForEach(ctx, n, DrawTint{stream, ctx.device_state, span, rules, tints});
}

void AddGreys(Context& ctx, const float* y, ImageShape shape, Tint* tints, float* parts) {
  ForEach(ctx, shape.n * kGreyParts, GreyPart{y, shape.pixels(), tints, parts});
  ForEach(ctx, shape.n, GreyMean{parts, shape.pixels(), tints});
}

void Jitter(Context& ctx, float* y, ImageShape shape, const Tint* tints, ImageShape from,
            const float* mean, const Cut* cuts, float scale) {
  ForEach(ctx, shape.n * shape.pixels(), JitterPixel{y, shape, from, tints, mean, cuts, scale});
}

[[maybe_unused]] const bool registered = DrawTints.Set(Device::kCuda, DrawAllTints) &&
                                         GreyMeans.Set(Device::kCuda, AddGreys) &&
                                         JitterColours.Set(Device::kCuda, Jitter);

}  // namespace
}  // namespace singa
