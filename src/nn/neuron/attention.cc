// kAttention: multi-head attention of each row on its own time steps.
//   source 0: x, [T, b, d], or [b, d] of one step; output: y, of the same shape
//   qkv = x w_in^T + b_in;  o = attention of each head (attention.h);  y = o w_out^T + b_out
// Equals torch.nn.MultiheadAttention(d, num_heads, dropout) of x on itself. One time step reads
// itself alone.
#include "nn/neuron/attention.h"

#include <cmath>

#include "math/gemm/gemm_kernel.h"
#include "math/scratch_layout.h"
#include "nn/neuron/inner_product.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "singa/math/gemm.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

// y = x w^T + b for n rows x of v numbers; w: [h, v]; b: [h] or null.
struct Projection {
  Param *w = nullptr, *b = nullptr;

  int64_t outputs() const { return w->shape()[0]; }
  int64_t inputs() const { return w->shape()[1]; }

  // scratch: [n, h].
  void Forward(Context& ctx, const float* x, float* y, int64_t n, float* scratch) const {
    InnerProductFeature(ctx, x, Transposed(w->data.data(), inputs()), b ? b->data.data() : nullptr,
                        y, n, outputs(), inputs(), scratch);
  }
  void InputGradient(Context& ctx, const float* dy, float* dx, int64_t n) const {
    Gemm(ctx, n, inputs(), outputs(), 1, {dy, outputs()}, {w->data.data(), inputs()}, 0, dx,
         inputs());
  }
  void ParamGradients(Context& ctx, const float* x, const float* dy, int64_t n) const {
    if (b && !b->grad.empty()) SumBiasGradient(ctx, dy, b->beta(), b->grad.data(), n, outputs());
    if (!w->grad.empty())
      Gemm(ctx, outputs(), inputs(), n, 1, Transposed(dy, outputs()), {x, inputs()}, w->beta(),
           w->grad.data(), inputs());
  }
};

class AttentionLayer final : public Layer {
 public:
  // The rows of w_in that one head needs are no run of the param's memory, so workers divide the
  // layer by rows.
  Wiring wiring(const LayerProto& conf) const override {
    return {.sequence = true, .causal = conf.attention_conf().causal()};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    ReadShape(conf, in[0]->data.shape());
    const AttentionProto& attention = conf.attention_conf();
    const float ratio = attention.dropout_ratio();
    if (!(ratio >= 0 && ratio < 1))
      throw ConfigError("attention_conf.dropout_ratio", StrCat("must be in [0, 1), is ", ratio));
    ratio_ = ratio;
    name_ = conf.name();
    DeclareParams(attention.bias_term(), declare);
    const int64_t n = rows(), d = shape_.units();
    qkv_ = declare.Buffer({n, 3 * d}, Keep::kForwardToBackward);
    o_ = declare.Buffer({n, d}, Keep::kForwardToBackward);
    log_sum_ = declare.Buffer({shape_.pairs(), shape_.steps}, Keep::kForwardToBackward);
    declare.Uses(AttentionForward, AttentionBackward, InnerProductFeature, GemmKernel);
    if (attention.bias_term()) declare.Uses(AddBias, SumBiasGradient);
    out[0]->data.SetShape(in[0]->data.shape());
  }

  Traits traits() const override { return {.grad_reads_in = true, .on_device = true}; }

  // A causal step reads half of the steps on average. The work behind the gradient of o counts as
  // that of params.
  Work work() const override {
    const auto n = static_cast<double>(rows()), d = static_cast<double>(shape_.units());
    const double in = 2 * n * 3 * d * d, out = 2 * n * d * d;
    const double product = 2 * n * d * static_cast<double>(shape_.steps) / (shape_.causal ? 2 : 1);
    return {in + out + 2 * product, in, in + 2 * out + 5 * product};
  }

  void Prepare(Context& ctx, Declare& declare, Inputs, Outputs) override {
    threads_ = ctx.device == Device::kCuda ? 1 : ctx.threads;
    constexpr int64_t kFloat = sizeof(float);
    ScratchLayout scratch;
    tiles_ = scratch.Add(AttentionScratch(shape_, threads_));
    d_o_ = scratch.Add(o_->size() * kFloat);
    dqkv_ = scratch.Add(qkv_->size() * kFloat);
    declare.Scratch(scratch.bytes());
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    drops_ = (phase & kTrain) && ratio_ > 0;
    in_.Forward(ctx, in[0]->data.data(), qkv_->data(), rows(), Scratch(ctx, dqkv_));
    AttentionForward(ctx, {.shape = shape_,
                           .dropout = Dropout(ctx, in[0]->span),
                           .qkv = qkv_->data(),
                           .o = o_->data(),
                           .log_sum = log_sum_->data(),
                           .scratch = Scratch(ctx, tiles_),
                           .threads = threads_});
    out_.Forward(ctx, o_->data(), out[0]->data.data(), rows(), Scratch(ctx, d_o_));
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float* const dy = out[0]->grad.data();
    float *const d_o = Scratch(ctx, d_o_), *const dqkv = Scratch(ctx, dqkv_);
    out_.InputGradient(ctx, dy, d_o, rows());
    out_.ParamGradients(ctx, o_->data(), dy, rows());
    AttentionBackward(ctx, {.shape = shape_,
                            .dropout = Dropout(ctx, in[0]->span),
                            .qkv = qkv_->data(),
                            .o = o_->data(),
                            .log_sum = log_sum_->data(),
                            .d_o = d_o,
                            .dqkv = dqkv,
                            .scratch = Scratch(ctx, tiles_),
                            .threads = threads_});
    if (!in[0]->grad.empty()) in_.InputGradient(ctx, dqkv, in[0]->grad.data(), rows());
    in_.ParamGradients(ctx, in[0]->data.data(), dqkv, rows());
  }

 private:
  int64_t rows() const { return shape_.steps * shape_.rows; }  // of all steps
  static float* Scratch(const Context& ctx, int64_t place) {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + place);
  }

  void ReadShape(const LayerProto& conf, const Shape& x) {
    const bool sequence = conf.unroll_len() > 1;
    if (x.dims() != (sequence ? 3 : 2))
      throw ConfigError("srclayers", StrCat("source 0 must give a row of numbers for each record, ",
                                            sequence ? "(steps, rows, numbers)" : "(rows, numbers)",
                                            ", gives ", x.ToString()));
    const int64_t units = x[x.dims() - 1], heads = conf.attention_conf().num_heads();
    if (heads < 1)
      throw ConfigError("attention_conf.num_heads", StrCat("must be >= 1, is ", heads));
    if (units % heads != 0)
      throw ConfigError("attention_conf.num_heads",
                        StrCat("must divide the ", units, " units of the source, is ", heads));
    shape_ = {.steps = sequence ? x[0] : 1,
              .rows = x[x.dims() - 2],
              .heads = heads,
              .width = units / heads,
              .causal = conf.attention_conf().causal()};
  }

  // First values are those of torch.nn.MultiheadAttention.
  void DeclareParams(bool bias, Declare& declare) {
    const int64_t d = shape_.units();
    const auto units = static_cast<double>(d);
    int index = 0;
    in_.w = declare.Param(index++, {3 * d, d}, UniformValues(std::sqrt(6 / (4 * units))));
    if (bias) in_.b = declare.Param(index++, {3 * d}, 0);
    out_.w = declare.Param(index++, {d, d}, UniformValues(1 / std::sqrt(units)));
    if (bias) out_.b = declare.Param(index++, {d}, 0);
  }

  AttentionDropout Dropout(const Context& ctx, const RowSpan& span) const {
    if (!drops_) return {};
    return {.ratio = ratio_, .numbers = ctx.Random(name_), .first_row = span.first};
  }

  AttentionShape shape_{};
  float ratio_ = 0;
  std::string name_;
  Projection in_, out_;
  Tensor *qkv_ = nullptr, *o_ = nullptr, *log_sum_ = nullptr;
  int64_t tiles_ = 0, d_o_ = 0, dqkv_ = 0;  // places in scratch
  int threads_ = 1;
  bool drops_ = false;  // the last ComputeFeature left out weights
};

SINGA_REGISTER_LAYER(kAttention, AttentionLayer);

}  // namespace
}  // namespace singa
