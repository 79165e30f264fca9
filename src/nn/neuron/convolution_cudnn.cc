// Convolution by cuDNN's graph API. Its older functions are deprecated in version 9 and do not say
// which algorithms are deterministic for a type and layout. Tensors are channels-last, as engines
// on tensor cores exist for them. Scratch holds the filters as channels-last, since Param keeps
// them in logical order, and factors rounded to 16 bits. If an engine can, it adds the bias in its
// pass over y.
#include <glog/logging.h>

#include <algorithm>
#include <memory>
#include <string>

#include "math/elementwise/elementwise.h"
#include "math/elementwise/half.h"
#include "math/layout/transpose.h"
#include "math/scratch_layout.h"
#include "nn/neuron/convolution_graphs.h"
#include "nn/neuron/inner_product.h"
#include "singa/tensor/memory.h"
#include "tensor/kernel/lanes.h"

namespace singa {
namespace {

class CudnnConvolution final : public ConvolutionPlan {
 public:
  CudnnConvolution(const CudnnTarget& target, const ConvolutionDesc& desc, Precision precision)
      : d_(desc), half_(IsHalf(precision)), plans_(target, desc, precision, kCudnnWorkspace) {
    weights_ = scratch_.Add(d_.weight_size() * kFloat);
    if (d_.weight_gradient) sums_ = scratch_.Add(d_.weight_size() * kFloat);
    if (half_) {
      half_x_ = scratch_.Add(d_.in.size() * kHalf);
      half_y_ = scratch_.Add(d_.out.size() * kHalf);
      half_w_ = scratch_.Add(d_.weight_size() * kHalf);
      half_b_ = scratch_.Add(d_.out.c * kHalf);
    }
    workspace_ = scratch_.Add(plans_.workspace_bytes() + kCudnnAlignment);
  }

  std::string WithoutTensorCores() const { return plans_.WithoutTensorCores(); }

  const char* name() const override { return half_ ? "cuDNN, 16 bits" : "cuDNN"; }
  int64_t scratch_bytes() const override { return scratch_.bytes(); }

  void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y) override {
    const void* const own_b = plans_.adds_bias() ? Read(ctx, b, half_b_, d_.out.c) : nullptr;
    plans_.Forward(ctx, Read(ctx, x, half_x_, d_.in.size()), Filters(ctx, w), own_b,
                   Written(ctx, y, half_y_), Workspace(ctx));
    Widen(ctx, half_y_, y, d_.out.size());
    if (b && !plans_.adds_bias()) AddBias(ctx, b, y, d_.out.n * d_.out.pixels(), d_.out.c);
  }

  void BackwardData(Context& ctx, const float* dy, const float* w, float* dx) override {
    Backward(ctx, nullptr, w, dy, {.dx = dx});
  }

  void BackwardWeights(Context& ctx, const float* x, const float* dy, float beta, float* dw,
                       float bias_beta, float* db) override {
    Backward(ctx, x, nullptr, dy, {.dw = dw, .beta = beta, .db = db, .bias_beta = bias_beta});
  }

  // Converts dy to 16 bits only once for both gradients.
  void Backward(Context& ctx, const float* x, const float* w, const float* dy,
                const ConvolutionGradients& to) override {
    if (to.db) SumBiasGradient(ctx, dy, to.bias_beta, to.db, d_.out.n * d_.out.pixels(), d_.out.c);
    const void* const own_dy = Read(ctx, dy, half_y_, d_.out.size());
    if (to.dw) WeightGradient(ctx, x, own_dy, to.beta, to.dw);
    if (to.dx) DataGradient(ctx, own_dy, w, to.dx);
  }

 private:
  static constexpr int64_t kFloat = sizeof(float), kHalf = sizeof(uint16_t);

  // `dy` is as plans read it, possibly at half_y_, which is not overwritten.
  void DataGradient(Context& ctx, const void* dy, const float* w, float* dx) {
    plans_.BackwardData(ctx, dy, Filters(ctx, w), Written(ctx, dx, half_x_), Workspace(ctx));
    Widen(ctx, half_x_, dx, d_.in.size());
  }
  void WeightGradient(Context& ctx, const float* x, const void* dy, float beta, float* dw) {
    float* const own_dw = same_order() && beta == 0 && AlignedTo<4>(dw) ? dw : Floats(ctx, sums_);
    plans_.BackwardWeights(ctx, Read(ctx, x, half_x_, d_.in.size()), dy,
                           Written(ctx, own_dw, half_w_), Workspace(ctx));
    Widen(ctx, half_w_, own_dw, d_.weight_size());
    const float* sum = own_dw;
    if (!same_order()) {
      float* const target = beta == 0 ? dw : Floats(ctx, weights_);
      TransposeEach(ctx, own_dw, target, d_.out.c, d_.window.area(), d_.channels());
      sum = target;
    }
    if (beta != 0)
      AddTo(ctx, sum, dw, d_.weight_size());  // beta is 1
    else
      CopyFloats(ctx, sum, dw, d_.weight_size());
  }

  // Returns whether [f, c, kh kw] and [f, kh kw, c], c of a group, have the same order.
  bool same_order() const { return d_.channels() == 1 || d_.window.area() == 1; }
  template <typename T>
  static T* At(const Context& ctx, int64_t offset) {
    return static_cast<T*>(static_cast<void*>(static_cast<char*>(ctx.scratch) + offset));
  }
  static float* Floats(const Context& ctx, int64_t offset) { return At<float>(ctx, offset); }

  void* Workspace(const Context& ctx) const { return AlignedForCudnn(At<char>(ctx, workspace_)); }

  // Returns x[n] as plans read it: a copy of 16 bits at `half`, or x itself.
  const void* Read(Context& ctx, const float* x, int64_t half, int64_t n) const {
    if (!half_) return x;
    ToHalf(ctx, x, At<uint16_t>(ctx, half), n);
    return At<uint16_t>(ctx, half);
  }
  // Returns where plans write y. Widen then converts it to float32.
  void* Written(const Context& ctx, float* y, int64_t half) const {
    return half_ ? At<void>(ctx, half) : y;
  }
  void Widen(Context& ctx, int64_t half, float* y, int64_t n) const {
    if (half_) FromHalf(ctx, At<uint16_t>(ctx, half), y, n);
  }

  // Returns w as [f, kh kw, c], c of a group.
  const void* Filters(Context& ctx, const float* w) const {
    if (!same_order() || (!half_ && !AlignedTo<4>(w))) {
      TransposeEach(ctx, w, Floats(ctx, weights_), d_.out.c, d_.channels(), d_.window.area());
      w = Floats(ctx, weights_);
    }
    return Read(ctx, w, half_w_, d_.weight_size());
  }

  const ConvolutionDesc d_;
  const bool half_;  // plans read and write 16 bits
  const ConvolutionGraphs plans_;
  ScratchLayout scratch_;
  int64_t weights_ = 0, sums_ = 0, workspace_ = 0;  // offsets in Context::scratch
  int64_t half_x_ = 0, half_y_ = 0, half_w_ = 0, half_b_ = 0;
};

// Warns if rounded factors do not lead to tensor cores. With one channel of a group cuDNN has no
// such engine and needs none, as there is little to multiply.
void WarnOfTensorCores(const Context& ctx, const ConvolutionDesc& desc,
                       const CudnnConvolution& plan) {
  const std::string calls = plan.WithoutTensorCores();
  if (ctx.precision == Precision::kFloat32 || desc.channels() == 1 || calls.empty()) return;
  LOG(WARNING) << "layer \"" << ctx.layer << "\": cuDNN has no deterministic engine on tensor "
               << "cores for " << calls << " that takes " << (kCudnnWorkspace >> 20)
               << " MiB of workspace at most, so it is slower there";
}

std::unique_ptr<ConvolutionPlan> Make(Context& ctx, const ConvolutionDesc& desc) {
  if (!ctx.stream || !FitsInt32(desc.in, desc.out, desc.window)) return nullptr;
  try {
    auto plan = std::make_unique<CudnnConvolution>(CudnnTarget{.handle = CudnnHandleOf(ctx)}, desc,
                                                   ctx.precision);
    WarnOfTensorCores(ctx, desc, *plan);
    return plan;
  } catch (const CudnnDeclines& declined) {
    LOG(WARNING) << "layer \"" << ctx.layer << "\": its convolution is done by im2col, as cuDNN "
                 << "declines it: " << declined.why;
    return nullptr;
  }
}

[[maybe_unused]] const bool registered = MakeConvolution.Set(Device::kCuda, Make, Rank::kVendor);

}  // namespace
}  // namespace singa
