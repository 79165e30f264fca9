// kCD does contrastive divergence (Hinton, "Training Products of Experts by Minimizing Contrastive
// Divergence", 2002). A positive pass runs over all layers. Then cd_k negative passes run over the
// visible and hidden layers alone, the first from the positive statistics. At the end the gradient
// of both is computed once. Layers below them run forward only.
#include "singa/base/error.h"
#include "singa/train/algorithm.h"

namespace singa {
namespace {

class Cd final : public Algorithm {
 public:
  void Setup(const AlgProto& conf) override {
    k_ = conf.cd_conf().cd_k();
    if (k_ < 1) throw ConfigError("cd_conf.cd_k", StrCat("must be >= 1, is ", k_));
  }

  std::optional<Phase> captured_pass() const override { return kPass; }

  void TrainOneBatch(Context& ctx, Net& net, ParamExchange& exchange) override {
    const int64_t step = ctx.state->step;
    net.BeginStep();
    for (NetNode& node : net.nodes()) {
      for (Param* param : node.declared().params) exchange.Await(param, step);
      net.ComputeFeature(ctx, node, kPass);
    }
    for (int i = 0; i < k_; ++i)
      Negative(ctx, net, static_cast<Phase>(i == 0 ? kNegative | kTest : kNegative));
    for (auto node = net.nodes().rbegin(); node != net.nodes().rend(); ++node) {
      if (!node->in_feedback) continue;
      net.ComputeGradient(ctx, *node);
      for (Param* param : node->completes) exchange.GradientReady(param, step);
    }
    exchange.Finish(step);
  }

  void TestOneBatch(Context& ctx, Net& net) override {
    for (NetNode& node : net.nodes())
      net.ComputeFeature(ctx, node, static_cast<Phase>(net.phase() | kForward | kPositive));
    for (NetNode& node : net.nodes())
      if (node.in_feedback && node.wiring.feedback_slots)
        net.ComputeFeature(ctx, node, static_cast<Phase>(kNegative | kTest));
  }

 private:
  static void Negative(Context& ctx, Net& net, Phase flags) {
    for (NetNode& node : net.nodes())
      if (node.in_feedback) net.ComputeFeature(ctx, node, flags);
  }

  static constexpr auto kPass = static_cast<Phase>(kTrain | kForward | kPositive);

  int k_ = 1;
};

SINGA_REGISTER_ALGORITHM(kCD, Cd);

}  // namespace
}  // namespace singa
