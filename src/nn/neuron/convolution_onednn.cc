// Convolution by oneDNN on channels-last features. Scratch holds the weights in the format that
// oneDNN prefers. Updaters and files use the logical order, and reordering costs little.
#include <algorithm>

#include "math/library/onednn.h"
#include "math/scratch_layout.h"
#include "nn/neuron/convolution.h"
#include "nn/neuron/convolution_gemm.h"
#include "tensor/constant_tensors.h"

namespace singa {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

// Descriptors that all three primitives of a convolution share.
struct Descs {
  explicit Descs(const ConvolutionDesc& d)
      : x(F32Desc({d.in.n, d.in.c, d.in.h, d.in.w}, Tag::nhwc)),
        y(F32Desc({d.out.n, d.out.c, d.out.h, d.out.w}, Tag::nhwc)),
        w_any(F32Desc(WeightDims(d), Tag::any)),
        w(F32Desc(WeightDims(d), d.groups == 1 ? Tag::oihw : Tag::goihw)),
        bias(d.bias ? F32Desc({d.out.c}, Tag::x) : memory::desc()),
        strides{d.window.y.stride, d.window.x.stride},
        dilates{d.window.y.dilation - 1, d.window.x.dilation - 1},
        pads{d.window.y.pad, d.window.x.pad} {}
  static memory::dims WeightDims(const ConvolutionDesc& d) {
    if (d.groups == 1) return {d.out.c, d.in.c, d.window.y.kernel, d.window.x.kernel};
    return {d.groups, d.filters(), d.channels(), d.window.y.kernel, d.window.x.kernel};
  }
  memory::desc x, y, w_any, w, bias;
  memory::dims strides, dilates, pads;  // dilates: pixels between two of a window
};

constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;

class OnednnConvolution final : public ConvolutionPlan {
 public:
  explicit OnednnConvolution(const ConvolutionDesc& desc) : bias_size_(desc.bias ? desc.out.c : 0) {
    const Descs d(desc);
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, kAlgorithm, d.x, d.w_any, d.bias, d.y, d.strides,
         d.dilates, d.pads, d.pads},
        UserScratchpad(), engine_);
    MakeForward(d, forward);
    if (desc.data_gradient) MakeBackwardData(d, forward);
    if (desc.weight_gradient) MakeBackwardWeights(d, forward);
  }

  const char* name() const override { return "oneDNN"; }
  int64_t scratch_bytes() const override { return bytes_; }

  void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y) override {
    forward_.Set(DNNL_ARG_SRC, x).Set(DNNL_ARG_DST, y);
    const void* const packed =
        ctx.constant ? ConstantWeights(ctx, w) : PackedWeights(ctx, pack_forward_, w);
    forward_.Set(DNNL_ARG_WEIGHTS, packed);
    if (b) forward_.Set(DNNL_ARG_BIAS, b);
    forward_.Set(DNNL_ARG_SCRATCHPAD, At(ctx, forward_scratch_)).Run();
  }

  void BackwardData(Context& ctx, const float* dy, const float* w, float* dx) override {
    data_.Set(DNNL_ARG_DIFF_DST, dy).Set(DNNL_ARG_DIFF_SRC, dx);
    data_.Set(DNNL_ARG_WEIGHTS, PackedWeights(ctx, pack_data_, w));
    data_.Set(DNNL_ARG_SCRATCHPAD, At(ctx, data_scratch_)).Run();
  }

  void BackwardWeights(Context& ctx, const float* x, const float* dy, float beta, float* dw,
                       float bias_beta, float* db) override {
    OnednnCall& unpack = beta == 0 ? unpack_ : unpack_and_add_;
    void* const packed = unpack ? At(ctx, 0) : dw;
    weights_.Set(DNNL_ARG_SRC, x).Set(DNNL_ARG_DIFF_DST, dy).Set(DNNL_ARG_DIFF_WEIGHTS, packed);
    float* const own_db = static_cast<float*>(At(ctx, bias_scratch_));
    const bool direct = db && bias_beta == 0;
    weights_.Set(DNNL_ARG_DIFF_BIAS, direct ? db : own_db);
    weights_.Set(DNNL_ARG_SCRATCHPAD, At(ctx, weights_scratch_)).Run();
    if (unpack) unpack.Set(DNNL_ARG_FROM, packed).Set(DNNL_ARG_TO, dw).Run();
    if (db && !direct)
      for (int64_t f = 0; f < bias_size_; ++f) db[f] = bias_beta * db[f] + own_db[f];
  }

 private:
  static void* At(const Context& ctx, int64_t offset) {
    return static_cast<char*>(ctx.scratch) + offset;
  }

  // Returns the weights in the format of the primitive that `pack` serves: a copy in scratch, or w
  // itself if the format fits.
  static const void* PackedWeights(Context& ctx, OnednnCall& pack, const float* w) {
    if (!pack) return w;
    pack.Set(DNNL_ARG_FROM, w).Set(DNNL_ARG_TO, ctx.scratch).Run();
    return ctx.scratch;
  }

  // Returns the weights in the format of the forward pass. They are packed once: a plan serves one
  // layer, whose w is the same in each call.
  const void* ConstantWeights(const Context& ctx, const float* w) {
    if (!pack_forward_) return w;
    if (constant_) return constant_;
    const auto make = [&] {
      Tensor packed = Tensor::Allocate({static_cast<int64_t>(packed_.get_size())}, DType::kU8);
      pack_forward_.Set(DNNL_ARG_FROM, w).Set(DNNL_ARG_TO, packed.as<uint8_t>()).Run();
      return packed;
    };
    const std::string form(reinterpret_cast<const char*>(&packed_.data), sizeof(packed_.data));
    return constant_ = ctx.constant->Get(w, form, make).as<uint8_t>();
  }

  OnednnCall Reorder(const memory::desc& from, const memory::desc& to, bool add = false) {
    dnnl::primitive_attr attr;
    if (add) {
      dnnl::post_ops sum;
      sum.append_sum(1);
      attr.set_post_ops(sum);
    }
    const dnnl::reorder::primitive_desc pd(engine_, from, engine_, to, attr);
    return OnednnCall(engine_, dnnl::reorder(pd), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  void MakeForward(const Descs& d, const dnnl::convolution_forward::primitive_desc& pd) {
    forward_ = OnednnCall(engine_, dnnl::convolution_forward(pd),
                          {{DNNL_ARG_SRC, d.x},
                           {DNNL_ARG_WEIGHTS, pd.weights_desc()},
                           {DNNL_ARG_BIAS, d.bias},
                           {DNNL_ARG_DST, d.y},
                           {DNNL_ARG_SCRATCHPAD, pd.scratchpad_desc()}});
    packed_ = pd.weights_desc();
    if (packed_ != d.w) pack_forward_ = Reorder(d.w, packed_);
    ScratchLayout scratch;
    scratch.Add(pd.weights_desc().get_size());
    forward_scratch_ = scratch.Add(pd.scratchpad_desc().get_size());
    bytes_ = std::max(bytes_, scratch.bytes());
  }

  void MakeBackwardData(const Descs& d, const dnnl::convolution_forward::primitive_desc& hint) {
    const dnnl::convolution_backward_data::primitive_desc pd(
        {kAlgorithm, d.x, d.w_any, d.y, d.strides, d.dilates, d.pads, d.pads}, UserScratchpad(),
        engine_, hint);
    data_ = OnednnCall(engine_, dnnl::convolution_backward_data(pd),
                       {{DNNL_ARG_DIFF_SRC, d.x},
                        {DNNL_ARG_WEIGHTS, pd.weights_desc()},
                        {DNNL_ARG_DIFF_DST, d.y},
                        {DNNL_ARG_SCRATCHPAD, pd.scratchpad_desc()}});
    if (pd.weights_desc() != d.w) pack_data_ = Reorder(d.w, pd.weights_desc());
    ScratchLayout scratch;
    scratch.Add(pd.weights_desc().get_size());
    data_scratch_ = scratch.Add(pd.scratchpad_desc().get_size());
    bytes_ = std::max(bytes_, scratch.bytes());
  }

  void MakeBackwardWeights(const Descs& d, const dnnl::convolution_forward::primitive_desc& hint) {
    const dnnl::convolution_backward_weights::primitive_desc pd(
        {kAlgorithm, d.x, d.w_any, d.bias, d.y, d.strides, d.dilates, d.pads, d.pads},
        UserScratchpad(), engine_, hint);
    weights_ = OnednnCall(engine_, dnnl::convolution_backward_weights(pd),
                          {{DNNL_ARG_SRC, d.x},
                           {DNNL_ARG_DIFF_WEIGHTS, pd.diff_weights_desc()},
                           {DNNL_ARG_DIFF_BIAS, d.bias},
                           {DNNL_ARG_DIFF_DST, d.y},
                           {DNNL_ARG_SCRATCHPAD, pd.scratchpad_desc()}});
    if (pd.diff_weights_desc() != d.w) unpack_ = Reorder(pd.diff_weights_desc(), d.w);
    unpack_and_add_ = Reorder(pd.diff_weights_desc(), d.w, true);
    ScratchLayout scratch;
    scratch.Add(pd.diff_weights_desc().get_size());
    bias_scratch_ = scratch.Add(bias_size_ * static_cast<int64_t>(sizeof(float)));
    weights_scratch_ = scratch.Add(pd.scratchpad_desc().get_size());
    bytes_ = std::max(bytes_, scratch.bytes());
  }

  const dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  const int64_t bias_size_;
  memory::desc packed_;             // weights of the forward pass
  const void* constant_ = nullptr;  // ConstantWeights; null: not needed yet
  OnednnCall forward_, data_, weights_;
  // Reorders between logical and packed weights; not set if the formats are the same.
  OnednnCall pack_forward_, pack_data_, unpack_, unpack_and_add_;
  // Offsets in Context::scratch, after the packed weights at 0.
  int64_t forward_scratch_ = 0, data_scratch_ = 0, weights_scratch_ = 0, bias_scratch_ = 0;
  int64_t bytes_ = 0;
};

// oneDNN's gradients compute whole vectors of 16 channels of x: with 20 channels a product over
// channels and window was 1.4 times as fast (test/bench/convolution_bench.cc).
GradientsByGemm ByGemm(const ConvolutionDesc& desc) {
  const bool odd = desc.groups == 1 && desc.in.c % 16 != 0;
  return {.data = odd && desc.data_gradient,
          .weights = odd && desc.in.c > 16 && desc.weight_gradient};
}

std::unique_ptr<ConvolutionPlan> Make(Context& ctx, const ConvolutionDesc& desc) {
  if (IsHalf(ctx.precision) || !FitsInt32(desc.in, desc.out, desc.window)) return nullptr;
  errno = 0;
  try {
    std::unique_ptr<ConvolutionPlan> plan = std::make_unique<OnednnConvolution>(desc);
    CheckOnednn(dnnl_success, "a convolution");
    const GradientsByGemm which = ByGemm(desc);
    if (!which.data && !which.weights) return plan;
    return GemmGradients(ctx, desc, which, std::move(plan));
  } catch (const dnnl::error& error) {
    CheckDeclined(error, "a convolution");
    return nullptr;  // oneDNN does not support the shape
  }
}

[[maybe_unused]] const bool registered = MakeConvolution.Set(Device::kCpu, Make, Rank::kVendor);

}  // namespace
}  // namespace singa
