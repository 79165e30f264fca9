#include "nn/neuron/attention_heads.h"

#include <algorithm>
#include <cmath>

#include "nn/feature/own_units.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

void AttentionHeads::Setup(const LayerProto& conf, Declare& declare, const Port& in) {
  ReadShape(conf, in.data.shape());
  const AttentionProto& attention = conf.attention_conf();
  const float ratio = attention.dropout_ratio();
  if (!(ratio >= 0 && ratio < 1))
    throw ConfigError("attention_conf.dropout_ratio", StrCat("must be in [0, 1), is ", ratio));
  ratio_ = ratio;
  name_ = conf.name();
  const int64_t d = own_.all;
  const double bound = std::sqrt(6 / (4 * static_cast<double>(d)));  // as the whole layer's weight
  const HeadRows w(declare.Param(0, {3 * d, d}, UniformValues(bound)), own_);
  in_ = {w, attention.bias_term() ? HeadRows(declare.Param(1, {3 * d}, 0), own_) : HeadRows()};
  in_.DeclareUses(&declare);
  const Shape qkv{most_rows(), in_.outputs()};
  qkv_ = conf.carried_steps() > 0 ? declare.Buffer(qkv, Keep::kForever, DType::kF32, "steps")
                                  : declare.Buffer(qkv, Keep::kForwardToBackward);
  log_sum_ = declare.Buffer({shape_.pairs(), most_steps_}, Keep::kForwardToBackward);
}

void AttentionHeads::ReadShape(const LayerProto& conf, const Shape& x) {
  const bool sequence = conf.unroll_len() > 1;
  if (sequence && conf.carried_steps() > 0)
    throw ConfigError(
        "unroll_len",
        StrCat("must be 1, as each batch of the net is one time step; is ", conf.unroll_len()));
  if (x.dims() != (sequence ? 3 : 2))
    throw ConfigError("srclayers", StrCat("source 0 must give a row of numbers for each record, ",
                                          sequence ? "(steps, rows, numbers)" : "(rows, numbers)",
                                          ", gives ", x.ToString()));
  const int64_t units = x[x.dims() - 1], heads = conf.attention_conf().num_heads();
  if (heads < 1) throw ConfigError("attention_conf.num_heads", StrCat("must be >= 1, is ", heads));
  if (units % heads != 0)
    throw ConfigError("attention_conf.num_heads",
                      StrCat("must divide the ", units, " units of the source, is ", heads));
  // Wiring::unit_groups makes the worker's units those of whole heads.
  own_ = OwnUnits(conf, "attention_conf.num_heads", units);
  const int64_t width = units / heads;
  shape_ = {.steps = sequence ? x[0] : 1,
            .rows = x[x.dims() - 2],
            .heads = own_.count / width,
            .width = width,
            .causal = conf.attention_conf().causal()};
  most_steps_ = std::max<int64_t>(shape_.steps, conf.carried_steps());
}

// A causal step reads half of the steps on average.
Work AttentionHeads::work() const {
  const auto n = static_cast<double>(rows()), units = static_cast<double>(own_.count);
  const double in = 2 * n * 3 * units * static_cast<double>(own_.all);
  const double product =
      2 * n * units * static_cast<double>(shape_.steps) / (shape_.causal ? 2 : 1);
  return {in + 2 * product, in, in + 5 * product};
}

void AttentionHeads::Prepare(Context& ctx, bool gradient, ScratchLayout* scratch) {
  threads_ = ctx.device == Device::kCuda ? 1 : ctx.threads;
  AttentionShape most = shape_;
  most.steps = most_steps_;
  plan_ = MakeAttention.Make(ctx, {.shape = most,
                                   .threads = threads_,
                                   .drops = ratio_ > 0,
                                   .keeps_steps = most_steps_ > shape_.steps,
                                   .gradient = gradient});
  plan_scratch_ = scratch->Add(plan_->scratch_bytes());
  dqkv_ = scratch->Add(rows() * in_.outputs() * static_cast<int64_t>(sizeof(float)));
  room_ = scratch->Add(in_.room() * static_cast<int64_t>(sizeof(float)));
}

const float* AttentionHeads::Forward(Context& ctx, Phase phase, const Port& in, float* o) {
  drops_ = (phase & kTrain) && ratio_ > 0;
  const int64_t past = most_steps_ > shape_.steps ? ctx.past : 0;
  const int64_t before = past * shape_.rows;
  AttentionShape seen = shape_;
  seen.steps += past;
  in_.Forward(ctx, in.data.data(), qkv_->data() + before * in_.outputs(), rows(), At(ctx, dqkv_),
              At(ctx, room_));
  plan_->Forward(ctx, {.shape = seen,
                       .first = past,
                       .dropout = Dropout(ctx, in.span),
                       .qkv = qkv_->data(),
                       .o = o,
                       .log_sum = log_sum_->data(),
                       .scratch = At(ctx, plan_scratch_),
                       .threads = threads_});
  return o + before * own_.count;
}

void AttentionHeads::Backward(Context& ctx, const float* o, const float* d_o, Port* in) {
  float *const dqkv = At(ctx, dqkv_), *const room = At(ctx, room_);
  plan_->Backward(ctx, {.shape = shape_,
                        .dropout = Dropout(ctx, in->span),
                        .qkv = qkv_->data(),
                        .o = o,
                        .log_sum = log_sum_->data(),
                        .d_o = d_o,
                        .dqkv = dqkv,
                        .scratch = At(ctx, plan_scratch_),
                        .threads = threads_});
  if (!in->grad.empty()) in_.InputGradient(ctx, dqkv, in->grad.data(), rows(), room);
  in_.ParamGradients(ctx, in->data.data(), dqkv, rows(), room);
}

AttentionDropout AttentionHeads::Dropout(const Context& ctx, const RowSpan& span) const {
  if (!drops_) return {};
  return {.ratio = ratio_,
          .numbers = ctx.Random(name_),
          .first_row = span.first,
          .first_head = own_.first / shape_.width,
          .all_heads = own_.all / shape_.width};
}

}  // namespace singa
