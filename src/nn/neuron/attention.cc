// kAttention: multi-head attention of each row on its own time steps.
//   source 0: x, [T, b, d], or [b, d] of one step; output: y, of the same shape
//   qkv = x w_in^T + b_in;  o = attention of each head (attention.h);  y = o w_out^T + b_out
// Equals torch.nn.MultiheadAttention(d, num_heads, dropout) of x on itself. One time step reads
// itself alone, unless the layer keeps those before (LayerProto.carried_steps): then qkv holds the
// rows of all steps so far, and a batch adds those of its step.
//
// Workers that divide the layer by units run it in two stages: a worker computes o of its heads,
// and then its units of y from o of all heads. A layer that keeps steps is divided by rows.
#include "nn/neuron/attention.h"

#include <cmath>

#include "nn/feature/own_units.h"
#include "nn/neuron/attention_heads.h"
#include "nn/neuron/attention_projection.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

// Declares w_out and b_out of a layer of d units, of which the worker has `own`.
Projection DeclareOutput(const LayerProto& conf, const UnitSpan& own, Declare& declare) {
  const int64_t d = own.all;
  const bool bias = conf.attention_conf().bias_term();
  const int first = bias ? 2 : 1;  // behind w_in and b_in
  const double bound = 1 / std::sqrt(static_cast<double>(d));
  const HeadRows w(declare.Param(first, {d, d}, own, UniformValues(bound)));
  const Projection out(
      w, bias ? HeadRows(declare.Param(first + 1, {d}, own, ConstantValues(0))) : HeadRows());
  out.DeclareUses(&declare);
  return out;
}

// This layer is the first stage. It gives o of the worker's heads.
class AttentionHeadsLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    return {.sequence = true, .causal = conf.attention_conf().causal(), .unit_cut = UnitCut::kOwn};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    heads_.Setup(conf, declare, *in[0]);
    Shape shape = in[0]->data.shape();
    shape.Set(shape.dims() - 1, heads_.own().count);
    out[0]->data.SetShape(shape);
    out[0]->units = heads_.own();
  }

  Traits traits() const override {
    return {.grad_reads_in = true, .grad_reads_out = true, .on_device = true};
  }
  Work work() const override { return heads_.work(); }

  void Prepare(Context& ctx, Declare& declare, Inputs, Outputs out) override {
    ScratchLayout scratch;
    heads_.Prepare(ctx, out[0]->wants_grad, &scratch);
    declare.Scratch(scratch.bytes());
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    heads_.Forward(ctx, phase, *in[0], out[0]->data.data());
  }
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    heads_.Backward(ctx, out[0]->data.data(), out[0]->grad.data(), in[0]);
  }

 private:
  AttentionHeads heads_;
};

// This layer is the second stage. Its source is o of all heads, [n, d].
class AttentionOutputLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .unit_cut = UnitCut::kOwn};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    rows_ = in[0]->data.rows();
    const UnitSpan own = OwnUnits(conf, "attention_conf.num_heads", in[0]->data.row_size());
    out_ = DeclareOutput(conf, own, declare);
    out[0]->data.SetShape({rows_, own.count});
    out[0]->units = own;
  }

  Traits traits() const override { return {.grad_reads_in = true, .on_device = true}; }
  Work work() const override {
    const double product = 2 * static_cast<double>(rows_) * static_cast<double>(out_.inputs()) *
                           static_cast<double>(out_.outputs());
    return {product, product, product};
  }

  void Prepare(Context&, Declare& declare, Inputs, Outputs out) override {
    declare.Scratch(out[0]->data.bytes());
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    out_.Forward(ctx, in[0]->data.data(), out[0]->data.data(), rows_,
                 static_cast<float*>(ctx.scratch), nullptr);
  }
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float* const dy = out[0]->grad.data();
    if (!in[0]->grad.empty()) out_.InputGradient(ctx, dy, in[0]->grad.data(), rows_, nullptr);
    out_.ParamGradients(ctx, in[0]->data.data(), dy, rows_, nullptr);
  }

 private:
  Projection out_;
  int64_t rows_ = 0;  // of all steps
};

class AttentionLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    const bool carries = conf.carried_steps() > 0;
    return {.sequence = true,
            .causal = conf.attention_conf().causal(),
            .carries_steps = true,
            .unit_cut = carries ? UnitCut::kNone : UnitCut::kOwn,
            .unit_groups = conf.attention_conf().num_heads(),
            .stages = carries ? 1 : 2};
  }

  std::unique_ptr<Layer> Stage(int stage) const override {
    if (stage == 0) return std::make_unique<AttentionHeadsLayer>();
    return std::make_unique<AttentionOutputLayer>();
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    heads_.Setup(conf, declare, *in[0]);
    out_ = DeclareOutput(conf, heads_.own(), declare);
    o_ = declare.Buffer({heads_.most_rows(), out_.inputs()}, Keep::kForwardToBackward);
    out[0]->data.SetShape(in[0]->data.shape());
  }

  Traits traits() const override { return {.grad_reads_in = true, .on_device = true}; }

  // The work behind the gradient of o counts as that of params.
  Work work() const override {
    const Work heads = heads_.work();
    const auto units = static_cast<double>(out_.inputs());
    const double product = 2 * static_cast<double>(heads_.rows()) * units * units;
    return {heads.feature + product, heads.input_gradients, heads.param_gradients + 2 * product};
  }

  void Prepare(Context& ctx, Declare& declare, Inputs, Outputs out) override {
    ScratchLayout scratch;
    heads_.Prepare(ctx, out[0]->wants_grad, &scratch);
    d_o_ = scratch.Add(o_->bytes());
    declare.Scratch(scratch.bytes());
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const float* const o = heads_.Forward(ctx, phase, *in[0], o_->data());
    out_.Forward(ctx, o, out[0]->data.data(), heads_.rows(), Scratch(ctx), nullptr);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float* const dy = out[0]->grad.data();
    out_.InputGradient(ctx, dy, Scratch(ctx), heads_.rows(), nullptr);
    out_.ParamGradients(ctx, o_->data(), dy, heads_.rows(), nullptr);
    heads_.Backward(ctx, o_->data(), Scratch(ctx), in[0]);
  }

 private:
  // Returns scratch of the size of o, which is for the gradient of o.
  float* Scratch(const Context& ctx) const {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + d_o_);
  }

  AttentionHeads heads_;
  Projection out_;
  Tensor* o_ = nullptr;
  int64_t d_o_ = 0;  // place in scratch
};

SINGA_REGISTER_LAYER(kAttention, AttentionLayer);

}  // namespace
}  // namespace singa
