#include "nn/plan/backward.h"

#include <algorithm>
#include <map>
#include <set>

#include "singa/base/error.h"

namespace singa {
namespace {

// Returns for each value whether it depends on a trained param. Sets runs_backward of such nodes.
std::vector<char> FindTraining(std::deque<NetNode>* nodes, const std::vector<Node>& graph,
                               size_t values, ConfigErrors* errors) {
  std::vector<char> value_trains(values);
  for (size_t i = 0; i < graph.size(); ++i) {
    NetNode& node = (*nodes)[i];
    bool trains = false;
    for (const Param* param : node.declared().params) trains = trains || param->trains();
    for (const Read& read : graph[i].in) trains = trains || value_trains[read.value];
    node.runs_backward = trains;
    if (trains && node.wiring.outputs_are_steps && !node.wiring.differentiable)
      errors->push_back(ConfigError("srclayers",
                                    "must give records as they are: no gradient reaches "
                                    "what is trained below the layer")
                            .Under(node.path));
    for (const Read& out : graph[i].out) value_trains[out.value] |= trains;
  }
  return value_trains;
}

void GiveGradient(const Read& read, ShapedValue* value) {
  std::fill_n(value->grad_steps.begin() + read.first_step, read.steps, true);
}

// Notes the time steps of outputs for which no reader gives a gradient. They are zeroed.
void ZeroUncovered(const Node& graph_node, const std::vector<ShapedValue>& values, NetNode* node) {
  for (size_t k = 0; k < graph_node.out.size(); ++k) {
    const Read& out = graph_node.out[k];
    const ShapedValue& value = values[out.value];
    if (!value.needs_grad(out)) continue;
    for (int t = 0; t < out.steps; ++t)
      if (!value.grad_steps[out.first_step + t])
        node->unread.push_back({node->out[k], t, out.steps});
  }
}

void MarkCompletes(std::deque<NetNode>* nodes) {
  std::map<const Param*, int> users;
  for (NetNode& node : *nodes) {  // backward order ends at the first node
    if (!node.runs_backward) continue;
    for (Param* param : node.declared().given)
      if (param->trains() && users[param]++ == 0) node.completes.push_back(param);
  }
  for (NetNode& node : *nodes)
    for (Param* param : node.declared().in_pieces)
      if (users[param] == 1) node.in_pieces.push_back(param);
}

// Net multiplies the gradients of a loss's sources by loss_weight. Nothing multiplies those of its
// own params, so a loss that has any cannot have such a weight.
void CheckWeight(const NetNode& loss, ConfigErrors* errors) {
  const float weight = loss.conf.loss_weight();
  if (weight == 0 || weight == 1 || loss.declared().params.empty()) return;
  errors->push_back(ConfigError("loss_weight", StrCat("must be 0 or 1, is ", weight,
                                                      ": the loss has params, and "
                                                      "their gradients have no factor"))
                        .Under(loss.path));
}

}  // namespace

void MarkFeedback(std::deque<NetNode>* nodes, const std::vector<Node>& graph) {
  for (size_t v = 0; v < graph.size(); ++v) {
    std::set<int> wanted;
    for (const Read& read : graph[v].in)
      if (read.feedback && !read.delayed) wanted.insert(read.value);
    if (wanted.empty()) continue;
    (*nodes)[v].in_feedback = true;
    for (size_t i = graph.size(); i-- > v + 1;) {
      bool gives = false;
      for (const Read& out : graph[i].out) gives = gives || wanted.count(out.value);
      if (!gives) continue;
      (*nodes)[i].in_feedback = true;
      for (const Read& read : graph[i].in) wanted.insert(read.value);
    }
  }
}

void FindBackward(std::deque<NetNode>* nodes, const std::vector<Node>& graph,
                  std::vector<ShapedValue>* values, ConfigErrors* errors) {
  const std::vector<char> value_trains = FindTraining(nodes, graph, values->size(), errors);
  for (size_t i = graph.size(); i-- > 0;) {
    NetNode& node = (*nodes)[i];
    if (node.is_loss()) CheckWeight(node, errors);
    bool reached = node.is_loss() ? node.conf.loss_weight() != 0 : node.traits.originates_gradient;
    for (const Read& out : graph[i].out) reached = reached || (*values)[out.value].needs_grad(out);
    node.runs_backward = node.runs_backward && reached && node.wiring.differentiable;
    if (!node.runs_backward) continue;
    // On a feedback loop both phases give each layer its own gradient; none flows between them.
    for (const Read& read : graph[i].in)
      if (value_trains[read.value] && !node.in_feedback) GiveGradient(read, &(*values)[read.value]);
    ZeroUncovered(graph[i], *values, &node);
  }
  MarkCompletes(nodes);
}

}  // namespace singa
