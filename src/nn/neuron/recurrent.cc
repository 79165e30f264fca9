// Setup, Prepare and checks of RecurrentLayer; recurrent_steps.cc computes.
#include "nn/neuron/recurrent.h"

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "math/elementwise/elementwise.h"
#include "math/gemm/gemm_kernel.h"
#include "math/layout/transpose.h"
#include "math/scratch_layout.h"
#include "nn/neuron/carry_state.h"
#include "nn/neuron/inner_product.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {

Wiring RecurrentLayer::wiring(const LayerProto&) const {
  return {.state_outputs = cell_.has_c ? 1 : 0,
          .sequence = true,
          .recurrent = true,
          .dependency = Dependency::kOneToAll};
}

void RecurrentLayer::Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) {
  const Settings set = settings(conf);
  if (set.hidden < 1)
    throw ConfigError(StrCat(cell_.conf, ".dim_hidden"), StrCat("must be >= 1, is ", set.hidden));
  hidden_ = set.hidden;
  bias_ = set.bias;
  CheckSources(conf, declare, in);
  ReadShapes(conf, in);
  CheckParams(conf);
  if (conf.partition_dim() == 1 && conf.num_partitions() > 1)
    throw ConfigError("partition_dim",
                      "must be 0: each unit of a step needs all of the one before");
  for (int i = 0; i < (bias_ ? 3 : 2) * cell_.gates; ++i) {
    const bool of_input = i < cell_.gates, weight = i < 2 * cell_.gates;
    params_.push_back(
        declare.Param(i, weight ? Shape{hidden_, of_input ? inputs_ : hidden_} : Shape{hidden_}));
  }
  kept_ = declare.Buffer({steps_ * rows_, kept_width()}, Keep::kForwardToBackward);
  if (set.carry_state) DeclareState(declare, in[0]->span);
  declare.Uses(*cell_.step, *cell_.gradient, GemmKernel);
  if (steps_ > 1) declare.Uses(TransposeEach);
  if (bias_) declare.Uses(SumBiasGradient);
  if (bias_ || cell_.has_c) declare.Uses(AddTo);
  const Shape h = steps_ > 1 ? Shape{steps_, rows_, hidden_} : Shape{rows_, hidden_};
  for (Port* port : out) port->data.SetShape(h);
}

void RecurrentLayer::CheckSources(const LayerProto& conf, Declare& declare, Inputs in) const {
  if (conf.shift_size() > 0 && conf.shift(0) != 0)
    throw ConfigError("shift",
                      StrCat("must be 0 for source 0, a step's own input, is ", conf.shift(0)));
  const bool carries = settings(conf).carry_state;
  const int own = cell_.has_c ? 2 : 1;  // number of outputs of the step before
  if (conf.unroll_index() == 0) {
    declare.Sources(in, 1, 2);
  } else if (static_cast<int>(in.size()) != 1 + own) {
    throw ConfigError("unroll_conn_type",
                      "source 1 is the state before the first step: it must be kUnrollFirstToLast");
  }
  if (!carries) return;
  const std::string field = StrCat(cell_.conf, ".carry_state");
  if (conf.unroll_index() > 0)
    throw ConfigError(field,
                      "needs all time steps in one: source 0 must have as many steps as this layer "
                      "and be read step by step");
  if (in.size() > 1) throw ConfigError(field, "must be false where source 1 gives the first state");
}

void RecurrentLayer::ReadShapes(const LayerProto& conf, Inputs in) {
  const Shape& x = in[0]->data.shape();
  const bool sequence = conf.unroll_len() > 1;
  if (x.dims() != (sequence ? 3 : 2))
    throw ConfigError("srclayers", StrCat("source 0 must give a row of numbers for each record, ",
                                          sequence ? "(steps, rows, numbers)" : "(rows, numbers)",
                                          ", gives ", x.ToString()));
  steps_ = sequence ? x[0] : 1;
  rows_ = x[x.dims() - 2];
  inputs_ = x[x.dims() - 1];
  const Shape state = {rows_, hidden_};
  for (size_t i = 1; i < in.size(); ++i)
    if (!(in[i]->data.shape() == state))
      throw ConfigError(ElementPath("srclayers", i),
                        StrCat("source 1, the state before the first step, must have "
                               "the shape ",
                               state.ToString(), ", has ", in[i]->data.shape().ToString()));
}

void RecurrentLayer::CheckParams(const LayerProto& conf) const {
  const int weights = 2 * cell_.gates, biases = bias_ ? cell_.gates : 0;
  if (conf.param_size() >= weights + biases) return;
  std::string needs = StrCat("needs ", weights + biases, " params (", weights, " weights");
  if (bias_) needs += ", " + Counted(biases, "bias", "biases");
  needs += StrCat("), has ", conf.param_size());
  if (bias_) needs += StrCat("; without biases set ", cell_.conf, ".bias_term: false");
  throw ConfigError("param", needs);
}

void RecurrentLayer::DeclareState(Declare& declare, const RowSpan& span) {
  const Shape state = {rows_, hidden_};
  carried_h_ = declare.RowBuffer("state", state, span);
  first_h_ = declare.Buffer(state, Keep::kForwardToBackward);
  if (cell_.has_c) {
    carried_c_ = declare.RowBuffer("cell", state, span);
    first_c_ = declare.Buffer(state, Keep::kForwardToBackward);
  }
  declare.Uses(CarryState);
}

// Counts only products. Those of the gradient that flows back through the steps count as
// param_gradients.
Work RecurrentLayer::work() const {
  const double unit =
      2.0 * static_cast<double>(steps_ * rows_) * static_cast<double>(cell_.gates * hidden_);
  const double x = unit * static_cast<double>(inputs_), h = unit * static_cast<double>(hidden_);
  return {x + h, x, x + 2 * h};
}

void RecurrentLayer::Prepare(Context&, Declare& declare, Inputs, Outputs) {
  constexpr int64_t kFloat = sizeof(float);
  const int64_t all = cell_.gates * hidden_;
  ScratchLayout scratch;
  places_.zeros = scratch.Add(state_size() * kFloat);
  places_.dh = scratch.Add(state_size() * kFloat);
  places_.dc = scratch.Add(cell_.has_c ? state_size() * kFloat : 0);
  places_.bias = scratch.Add(all * kFloat);
  places_.sums = scratch.Add(kept_width() * kFloat);
  places_.from_state = scratch.Add(rows_ * all * kFloat);
  places_.packed = scratch.Add(steps_ > 1 ? all * hidden_ * kFloat : 0);
  places_.transposed = scratch.Add(steps_ > 1 ? all * hidden_ * kFloat : 0);
  declare.Scratch(scratch.bytes());
}

void RecurrentLayer::BeginPass(Context& ctx, int64_t) {
  for (Tensor* state : {carried_h_, carried_c_})
    if (state) ZeroBytes(ctx, state->data(), state->bytes());
}

}  // namespace singa
