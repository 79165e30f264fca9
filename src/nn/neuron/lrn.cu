// CUDA kernels of local response normalisation. Memory bounds them, as a window's other channels
// come from the cache. A gradient's term costs two roots and a division, so a block shares the
// terms.
#include "nn/neuron/lrn_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

class CudaLrn final : public LrnPlan {
 public:
  explicit CudaLrn(const LrnDesc& desc)
      : d_(desc), half_(desc.size / 2), rate_(desc.alpha / static_cast<float>(desc.size)) {}

  const char* name() const override { return "cuda"; }
  int64_t scratch_bytes() const override { return 0; }
  int64_t kept_bytes() const override {
    return d_.shape.size() * static_cast<int64_t>(sizeof(float));
  }

  void Forward(Context& ctx, const float* x, float* y, void* kept) override {
    ForEach(
        ctx, d_.shape.size(),
        LrnElement{x, y, static_cast<float*>(kept), d_.shape.c, half_, d_.knorm, rate_, d_.beta});
  }

  void Backward(Context& ctx, const float* x, const float* dy, const void* kept,
                float* dx) override {
    const int64_t n = d_.shape.size();
    const LrnGradientElement element = {
        x,      dy, static_cast<const float*>(kept), dx, d_.shape.c, half_, 2 * d_.beta * rate_,
        d_.beta};
    if (half_ <= kLrnMostHalf)
      ForEachBlock(ctx, (n + kLrnTile - 1) / kLrnTile, LrnGradientTile{element, n});
    else
      ForEach(ctx, n, element);
  }

 private:
  const LrnDesc d_;
  const int64_t half_;
  const float rate_;
};

std::unique_ptr<LrnPlan> Make(Context&, const LrnDesc& desc) {
  return std::make_unique<CudaLrn>(desc);
}

[[maybe_unused]] const bool registered = MakeLrn.Set(Device::kCuda, Make);

}  // namespace
}  // namespace singa
