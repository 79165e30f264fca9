// kBP and kBPTT do back-propagation: features in net order, then gradients in reverse. A param's
// gradient is handed on as soon as the param's last user is done, so updates overlap the rest of
// the backward pass. Copies of an unrolled layer are nodes like others, or one node if they are
// folded.
#include <cmath>

#include "singa/train/algorithm.h"

namespace singa {
namespace {

// Returns whether a loss is finite. Metrics hold this step's values alone, since the trainer takes
// them after each step.
bool LossIsFinite(const NetNode& node) {
  if (!node.traits.originates_gradient) return true;
  for (const Metric& metric : node.declared().metrics)
    if (!std::isfinite(metric.seen.as<double>()[0])) return false;
  return true;
}

// Returns false if the step is dropped. Workers of a group agree on it, so that all do the same.
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
      for (Param* param : node.declared().params) exchange.Await(param, step);
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
