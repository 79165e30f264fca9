#include "nn/input/image_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Draw(Context& ctx, Philox stream, RowSpan span, CutRules rules, Cut* cuts, int64_t n) {
  ForEach(ctx, n, DrawCut{stream, ctx.device_state, span, rules, cuts});
}

void CutAll(Context& ctx, const float* x, ImageShape shape, const float* mean, const Cut* cuts,
            float scale, float* y, int64_t height, int64_t width) {
  const ImageShape to = {shape.n, shape.c, height, width};
  ForEach(ctx, to.size(), CutElement{x, shape, to, mean, cuts, scale, y});
}

[[maybe_unused]] const bool registered =
    DrawCuts.Set(Device::kCuda, Draw) && CutImages.Set(Device::kCuda, CutAll);

}  // namespace
}  // namespace singa
