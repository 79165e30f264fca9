// CUDA kernels of pooling. Memory bounds them: each output is written once, and each input is read
// from memory once; other windows read it from the cache. Backward gathers, so sums have a fixed
// order.
#include "nn/neuron/pooling_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

// Place is an integer type that holds the index of any element of a window.
template <typename Place>
class CudaPooling final : public PoolingPlan {
 public:
  explicit CudaPooling(const PoolingDesc& desc)
      : d_(desc), scale_(1 / static_cast<float>(desc.window.area())) {}

  const char* name() const override { return "cuda"; }
  int64_t scratch_bytes() const override {
    return weighs() ? d_.out.size() * static_cast<int64_t>(sizeof(float)) : 0;
  }
  int64_t winner_bytes() const override {
    return d_.max ? d_.out.size() * static_cast<int64_t>(sizeof(Place)) : 0;
  }

  void Forward(Context& ctx, const float* x, float* y, void* winners) override {
    if (InFours(x, y))
      Forward<4>(ctx, x, y, static_cast<Place*>(winners));
    else
      Forward<1>(ctx, x, y, static_cast<Place*>(winners));
  }

  void Backward(Context& ctx, const float* dy, const void* winners, float* dx) override {
    if (InFours(dy, dx))
      Backward<4>(ctx, dy, static_cast<const Place*>(winners), dx);
    else
      Backward<1>(ctx, dy, static_cast<const Place*>(winners), dx);
  }

 private:
  // Returns whether some windows have an area of their own.
  bool weighs() const { return !d_.max && d_.cut(); }
  bool InFours(const float* a, const float* b) const {
    return d_.in.c % 4 == 0 && AlignedTo<4>(a, b);
  }

  template <int N>
  void Forward(Context& ctx, const float* x, float* y, Place* winners) {
    if (d_.max)
      ForEach(ctx, d_.out.size() / N, MaxOfWindow<N, Place>{d_, x, y, winners});
    else
      ForEach(ctx, d_.out.size() / N, MeanOfWindow<N>{d_, x, y, scale_});
    if (weighs()) ForEach(ctx, d_.out.size() / N, WeighedWindow<N>{d_, y, y});
  }

  template <int N>
  void Backward(Context& ctx, const float* dy, const Place* winners, float* dx) {
    if (d_.max) {
      ForEach(ctx, d_.in.size() / N, MaxGradient<N, Place>{d_, dy, winners, dx});
      return;
    }
    if (weighs()) {
      float* const weighed = static_cast<float*>(ctx.scratch);
      ForEach(ctx, d_.out.size() / N, WeighedWindow<N>{d_, dy, weighed});
      dy = weighed;
    }
    ForEach(ctx, d_.in.size() / N, MeanGradient<N>{d_, dy, dx, scale_});
  }

  const PoolingDesc d_;
  const float scale_;  // factor of a mean
};

std::unique_ptr<PoolingPlan> Make(Context&, const PoolingDesc& desc) {
  if (desc.window.area() <= 1 << 8) return std::make_unique<CudaPooling<uint8_t>>(desc);
  return std::make_unique<CudaPooling<int64_t>>(desc);
}

[[maybe_unused]] const bool registered = MakePooling.Set(Device::kCuda, Make);

}  // namespace
}  // namespace singa
