#include "nn/plan/plan_side.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace singa {
namespace {

// Lifetime of a tensor; empty until something uses it.
struct Life {
  int begin = std::numeric_limits<int>::max();
  int end = -1;
  void Use(int time) {
    begin = std::min(begin, time);
    end = std::max(end, time);
  }
  bool used() const { return end >= 0; }
};

// Producers (nodes) and readers (nodes and their slots) of one value.
struct Users {
  std::vector<int> producers;
  std::vector<std::pair<int, int>> readers;
};

// Finds the tensors of one side, and when each of them is in use.
class SidePlanner {
 public:
  SidePlanner(const std::deque<NetNode>& nodes, const NetLayout& net, Side side, bool reuse)
      : nodes_(nodes),
        graph_(net.graph),
        values_(net.values),
        placement_(net.placement),
        side_(side),
        reuse_(reuse) {
    users_.resize(values_.size());
    for (size_t i = 0; i < graph_.size(); ++i) {
      for (const Read& out : graph_[i].out) users_[out.value].producers.push_back(int(i));
      for (size_t s = 0; s < graph_[i].in.size(); ++s)
        users_[graph_[i].in[s].value].readers.emplace_back(int(i), int(s));
    }
  }

  // Adds the tensors of values, then each node's buffers in order, then scratch.
  SideLayout Run() {
    SideLayout side;
    plan_ = &side.plan;
    side.tensors.resize(values_.size());
    for (size_t v = 0; v < values_.size(); ++v) side.tensors[v] = AddValue(v);
    for (size_t i = 0; i < graph_.size(); ++i) AliasNode(int(i), side.tensors);
    int64_t bytes = 0;
    for (size_t i = 0; i < graph_.size(); ++i) {
      const bool here = placement_.nodes[i] == side_;
      if (here) bytes = std::max(bytes, nodes_[i].declared().scratch);
      for (const Buffer& buffer : nodes_[i].declared().buffers)
        side.buffers.push_back(here ? AddBuffer(int(i), buffer) : -1);
    }
    side.scratch = plan_->Add(bytes, 0, last());
    plan_->Place(reuse_);
    return side;
  }

 private:
  int last() const { return 2 * static_cast<int>(graph_.size()) - 1; }
  int backward(int node) const { return last() - node; }
  bool Delayed(int node, int slot) const { return graph_[node].in[slot].delayed; }

  Life DataLife(size_t v) const {
    Life life;
    for (int p : users_[v].producers) {
      // Data from the host arrives before a replayed step begins, so its place is in use from time
      // 0.
      life.Use(side_ == kDeviceSide && placement_.nodes[p] == kHostSide ? 0 : p);
      if (nodes_[p].runs_backward && nodes_[p].traits.grad_reads_out) life.Use(backward(p));
    }
    for (auto [r, slot] : users_[v].readers) {
      life.Use(r);
      if (nodes_[r].runs_backward && nodes_[r].traits.grad_reads_in) life.Use(backward(r));
      if (Delayed(r, slot)) life.Use(0), life.Use(last());  // it lasts into the next batch
    }
    if (users_[v].readers.empty()) life.Use(last());  // a result that the caller may read
    return life;
  }

  ValueTensors AddValue(size_t v) {
    const ShapedValue& value = values_[v];
    ValueTensors tensors;
    if (!value.shaped || (users_[v].producers.empty() && users_[v].readers.empty())) return tensors;
    const Life data = DataLife(v);
    if (placement_.data[v][side_]) {
      tensors.data = plan_->Add(value.steps * value.step_bytes(), data.begin, data.end);
      if (value.label_shape.dims())
        tensors.label = plan_->Add(value.steps * value.label_bytes(), 0, last());
    }
    if (!value.needs_grad() || !placement_.grads[v][side_]) return tensors;
    Life grad;
    for (auto [r, slot] : users_[v].readers)
      if (nodes_[r].runs_backward) grad.Use(backward(r));
    for (int p : users_[v].producers) grad.Use(backward(p));
    tensors.grad = plan_->Add(value.steps * value.step_bytes(), grad.begin, grad.end);
    return tensors;
  }

  bool OneReader(int value) const {
    return users_[value].readers.size() == 1 && users_[value].producers.size() == 1;
  }

  // Aliases tensors that may share a place: a split's data, in-place layers, the gradients of both.
  void AliasNode(int i, const std::vector<ValueTensors>& tensors) {
    const NetNode& node = nodes_[i];
    const std::vector<Read>& in = graph_[i].in;
    const std::vector<Read>& out = graph_[i].out;
    if (node.traits.aliases_in) {
      for (const Read& read : out) {
        if (tensors[in[0].value].data >= 0)
          plan_->Alias(tensors[in[0].value].data, tensors[read.value].data);
        if (tensors[in[0].value].label >= 0)
          plan_->Alias(tensors[in[0].value].label, tensors[read.value].label);
      }
      AliasSplitGradient(in[0].value, out, tensors);
      return;
    }
    if (placement_.nodes[i] != side_) return;
    const int slot = node.traits.in_place_with;
    if (!reuse_ || slot < 0 || slot >= int(in.size())) return;
    const Read& source = in[slot];
    if (source.feedback || !OneReader(source.value) || !OneProducer(out[0]) ||
        !SameSize(source, out[0]))
      return;
    const int a = source.value, b = out[0].value;
    if (tensors[a].grad >= 0 && tensors[b].grad >= 0)
      plan_->Alias(tensors[a].grad, tensors[b].grad);
    const NetNode& producer = nodes_[users_[a].producers[0]];
    const bool read_later = (node.runs_backward && node.traits.grad_reads_in) ||
                            (producer.runs_backward && producer.traits.grad_reads_out);
    if (!read_later && !producer.wiring.is_input && !producer.traits.aliases_in &&
        tensors[a].data >= 0 && tensors[b].data >= 0)
      plan_->Alias(tensors[a].data, tensors[b].data);
  }

  bool OneProducer(const Read& out) const { return users_[out.value].producers.size() == 1; }
  bool SameSize(const Read& a, const Read& b) const {
    const ShapedValue &x = values_[a.value], &y = values_[b.value];
    return x.steps * x.step_bytes() == y.steps * y.step_bytes() && a.steps == x.steps &&
           b.steps == y.steps;
  }

  // Aliases the gradient of a split's source with the first gradient that arrives, which saves a
  // copy.
  void AliasSplitGradient(int source, const std::vector<Read>& out,
                          const std::vector<ValueTensors>& tensors) {
    if (tensors[source].grad < 0 || users_[source].producers.size() != 1) return;
    for (const Read& read : out)
      if (tensors[read.value].grad >= 0) {
        if (SameSize(read, read)) plan_->Alias(tensors[source].grad, tensors[read.value].grad);
        return;
      }
  }

  int AddBuffer(int i, const Buffer& buffer) {
    if (buffer.keep == Keep::kForever) return -1;
    if (buffer.keep == Keep::kStep) return plan_->Add(buffer.tensor.bytes(), 0, last());
    return plan_->Add(buffer.tensor.bytes(), i, nodes_[i].runs_backward ? backward(i) : i);
  }

  const std::deque<NetNode>& nodes_;
  const std::vector<Node>& graph_;
  const std::vector<ShapedValue>& values_;
  const Placement& placement_;
  const Side side_;
  const bool reuse_;
  MemoryPlan* plan_ = nullptr;
  std::vector<Users> users_;
};

}  // namespace

SideLayout PlanSide(const std::deque<NetNode>& nodes, const NetLayout& net, Side side, bool reuse) {
  return SidePlanner(nodes, net, side, reuse).Run();
}

}  // namespace singa
