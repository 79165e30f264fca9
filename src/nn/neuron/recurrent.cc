#include "nn/neuron/recurrent.h"

#include <cmath>

#include "base/text/element_path.h"
#include "math/elementwise/elementwise.h"
#include "math/gemm/gemm_kernel.h"
#include "math/layout/transpose.h"
#include "nn/neuron/carry_state.h"
#include "nn/neuron/inner_product.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {

Wiring RecurrentLayer::wiring(const LayerProto&) const {
  return {.state_outputs = cell_.has_c ? 1 : 0, .sequence = true, .recurrent = true};
}

void RecurrentLayer::Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) {
  const Settings set = settings(conf);
  if (set.hidden < 1)
    throw ConfigError(StrCat(cell_.conf, ".dim_hidden"), StrCat("must be >= 1, is ", set.hidden));
  sizes_.hidden = set.hidden;
  CheckSources(conf, declare, in);
  ReadShapes(conf, in);
  const auto [steps, rows, inputs, hidden] = sizes_;
  RecurrentSteps::Tensors tensors;
  const ParamGenProto init = UniformValues(1 / std::sqrt(hidden));  // as torch.nn.GRU
  for (int i = 0; i < (set.bias ? 3 : 2) * cell_.gates; ++i) {
    const bool of_input = i < cell_.gates, weight = i < 2 * cell_.gates;
    tensors.params.push_back(
        declare.Param(i, weight ? Shape{hidden, of_input ? inputs : hidden} : Shape{hidden}, init));
  }
  tensors.kept = declare.Buffer({steps * rows, cell_.kept * hidden}, Keep::kForwardToBackward);
  if (set.carry_state) DeclareState(declare, in[0]->span, &tensors);
  declare.Uses(*cell_.step, *cell_.gradient, GemmKernel, InnerProductFeature);
  if (steps > 1) declare.Uses(TransposeEach);
  if (set.bias) declare.Uses(SumBiasGradient);
  if (set.bias || cell_.has_c) declare.Uses(AddTo);
  const Shape h = steps > 1 ? Shape{steps, rows, hidden} : Shape{rows, hidden};
  for (Port* port : out) port->data.SetShape(h);
  carried_h_ = tensors.carried_h;
  carried_c_ = tensors.carried_c;
  steps_.emplace(cell_, sizes_, tensors);
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
  sizes_.steps = sequence ? x[0] : 1;
  sizes_.rows = x[x.dims() - 2];
  sizes_.inputs = x[x.dims() - 1];
  const Shape state = {sizes_.rows, sizes_.hidden};
  for (size_t i = 1; i < in.size(); ++i)
    if (!(in[i]->data.shape() == state))
      throw ConfigError(ElementPath("srclayers", i),
                        StrCat("source 1, the state before the first step, must have "
                               "the shape ",
                               state.ToString(), ", has ", in[i]->data.shape().ToString()));
}

void RecurrentLayer::DeclareState(Declare& declare, const RowSpan& span,
                                  RecurrentSteps::Tensors* tensors) {
  const Shape state = {sizes_.rows, sizes_.hidden};
  tensors->carried_h = declare.RowBuffer("state", state, span);
  tensors->first_h = declare.Buffer(state, Keep::kForwardToBackward);
  if (cell_.has_c) {
    tensors->carried_c = declare.RowBuffer("cell", state, span);
    tensors->first_c = declare.Buffer(state, Keep::kForwardToBackward);
  }
  declare.Uses(CarryState);
}

// Counts only products. Those of the gradient that flows back through the steps count as
// param_gradients.
Work RecurrentLayer::work() const {
  const auto [steps, rows, inputs, hidden] = sizes_;
  const double unit =
      2.0 * static_cast<double>(steps * rows) * static_cast<double>(cell_.gates * hidden);
  const double x = unit * static_cast<double>(inputs), h = unit * static_cast<double>(hidden);
  return {x + h, x, x + 2 * h};
}

void RecurrentLayer::Prepare(Context&, Declare& declare, Inputs, Outputs) {
  declare.Scratch(steps_->scratch_bytes());
}

void RecurrentLayer::BeginPass(Context& ctx, int64_t) {
  for (Tensor* state : {carried_h_, carried_c_})
    if (state) ZeroBytes(ctx, state->data(), state->bytes());
}

void RecurrentLayer::ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) {
  steps_->Forward(ctx, in, out);
}

void RecurrentLayer::ComputeGradient(Context& ctx, Inputs in, Outputs out) {
  steps_->Backward(ctx, in, out);
}

}  // namespace singa
