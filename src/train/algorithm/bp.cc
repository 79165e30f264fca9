// kBP, kBPTT: back-propagation. Features in net order, gradients in reverse; a param is handed on
// as soon as its last user is done, so updates overlap the rest of the backward pass. An unrolled
// net is the same to it: its copies are nodes, or one node where they folded.
#include <cmath>

#include "singa/train/algorithm.h"

namespace singa {
namespace {

// Metrics hold this step's values alone: the trainer takes them after each step.
bool LossIsFinite(const NetNode& node) {
  if (!node.traits.originates_gradient) return true;
  for (const Metric& metric : node.declare->metrics())
    if (!std::isfinite(metric.seen.as<double>()[0])) return false;
  return true;
}

// False: the step is dropped. Workers of a group agree, so that all go the same way.
bool LossesAreFinite(Context& ctx, Net& net, ParamExchange& exchange) {
  net.SeeMetrics(ctx);
  double bad = 0;
  for (const NetNode& node : net.nodes()) {
    if (bad > 0 || LossIsFinite(node)) continue;
    exchange.LossNotFinite(node.name, ctx.state->step);
    bad = 1;
  }
  if (ctx.group && exchange.may_drop_steps()) ctx.group->Sum({&bad, 1});
  return bad == 0;
}

class Bp final : public Algorithm {
 public:
  bool forward_backward() const override { return true; }
  std::optional<Phase> captured_pass() const override { return kPass; }

  void TrainOneBatch(Context& ctx, Net& net, ParamExchange& exchange) override {
    const int64_t step = ctx.state->step;
    net.BeginStep();
    for (NetNode& node : net.nodes()) {
      for (Param* param : node.declare->params()) exchange.Await(param, step);
      net.ComputeFeature(ctx, node, kPass);
    }
    if (!exchange.sees_losses() && !LossesAreFinite(ctx, net, exchange))
      return exchange.Finish(step);
    for (auto node = net.nodes().rbegin(); node != net.nodes().rend(); ++node) {
      net.ComputeGradient(ctx, *node);
      for (Param* param : node->completes) exchange.GradientReady(param, step);
    }
    exchange.Finish(step);
  }

 private:
  static constexpr auto kPass = static_cast<Phase>(kTrain | kForward);
};

SINGA_REGISTER_ALGORITHM(kBP, Bp);
SINGA_REGISTER_ALGORITHM(kBPTT, Bp);

}  // namespace
}  // namespace singa
