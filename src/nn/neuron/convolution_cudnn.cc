// Convolution by cuDNN's graph API, as its older functions for convolutions are deprecated in
// version 9, and do not say which algorithms are deterministic for a type and layout. Tensors are
// channels-last, for which engines on tensor cores exist; filters become so in scratch, as Param
// keeps them in logical order: they are small. A bias is added in the same pass over y where an
// engine does that.
#include <algorithm>

#include "math/elementwise.h"
#include "math/scratch_layout.h"
#include "math/transpose.h"
#include "nn/neuron/convolution_graphs.h"
#include "nn/neuron/inner_product.h"
#include "singa/tensor/memory.h"
#include "tensor/lanes.h"

namespace singa {
namespace {

constexpr int64_t kWorkspace = int64_t{256} << 20, kAlignment = 256;  // bytes

class CudnnConvolution final : public ConvolutionPlan {
 public:
  CudnnConvolution(const CudnnTarget& target, const ConvolutionDesc& desc, bool tf32)
      : d_(desc), plans_(target, desc, {tf32, kWorkspace}) {
    weights_ = scratch_.Add(weight_bytes());
    sums_ = scratch_.Add(weight_bytes());
    workspace_ = scratch_.Add(plans_.workspace_bytes() + kAlignment);
  }

  const char* name() const override { return "cuDNN"; }
  int64_t scratch_bytes() const override { return scratch_.bytes(); }

  void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y) override {
    const float* const own_w = ChannelsLast(ctx, w);
    plans_.Forward(ctx, x, own_w, b, y, Workspace(ctx));
    if (b && !plans_.adds_bias()) AddBias(ctx, b, y, d_.out.n * d_.out.pixels(), d_.out.c);
  }

  void BackwardData(Context& ctx, const float* dy, const float* w, float* dx) override {
    plans_.BackwardData(ctx, dy, ChannelsLast(ctx, w), dx, Workspace(ctx));
  }

  void BackwardWeights(Context& ctx, const float* x, const float* dy, float beta, float* dw,
                       float bias_beta, float* db) override {
    if (db) SumBiasGradient(ctx, dy, bias_beta, db, d_.out.n * d_.out.pixels(), d_.out.c);
    float* const own_dw = same_order() && beta == 0 && AlignedTo<4>(dw) ? dw : At(ctx, sums_);
    plans_.BackwardWeights(ctx, x, dy, own_dw, Workspace(ctx));
    const float* sum = own_dw;
    if (!same_order()) {
      float* const target = beta == 0 ? dw : At(ctx, weights_);
      TransposeEach(ctx, own_dw, target, d_.out.c, d_.window.area(), d_.in.c);
      sum = target;
    }
    if (beta != 0)
      AddTo(ctx, sum, dw, weight_size());  // it is 1 then
    else
      CopyFloats(ctx, sum, dw, weight_size());
  }

 private:
  int64_t weight_size() const { return d_.out.c * d_.in.c * d_.window.area(); }
  int64_t weight_bytes() const { return weight_size() * static_cast<int64_t>(sizeof(float)); }
  // Whether [f, c, kh kw] is [f, kh kw, c].
  bool same_order() const { return d_.in.c == 1 || d_.window.area() == 1; }
  static float* At(const Context& ctx, int64_t offset) {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + offset);
  }

  void* Workspace(const Context& ctx) const {
    const auto address = reinterpret_cast<uintptr_t>(At(ctx, workspace_));
    return reinterpret_cast<void*>((address + kAlignment - 1) / kAlignment * kAlignment);
  }

  // w as [f, kh kw, c].
  const float* ChannelsLast(Context& ctx, const float* w) const {
    if (same_order() && AlignedTo<4>(w)) return w;
    TransposeEach(ctx, w, At(ctx, weights_), d_.out.c, d_.in.c, d_.window.area());
    return At(ctx, weights_);
  }

  const ConvolutionDesc d_;
  const ConvolutionGraphs plans_;
  ScratchLayout scratch_;
  int64_t weights_ = 0, sums_ = 0, workspace_ = 0;  // offsets in Context::scratch
};

std::unique_ptr<ConvolutionPlan> Make(Context& ctx, const ConvolutionDesc& desc) {
  if (!ctx.stream || !FitsInt32(desc.in, desc.out, desc.window)) return nullptr;
  try {
    return std::make_unique<CudnnConvolution>(CudnnTarget{.handle = CudnnHandleOf(ctx)}, desc,
                                              ctx.tf32);
  } catch (const CudnnDeclines&) {
    return nullptr;
  }
}

[[maybe_unused]] const bool registered = MakeConvolution.Set(Device::kCuda, Make, Rank::kVendor);

}  // namespace
}  // namespace singa
