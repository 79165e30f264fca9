#include "nn/plan/net_builder.h"

#include <algorithm>
#include <map>
#include <set>

#include "nn/plan/fuse.h"
#include "nn/plan/net_storage.h"

namespace singa {

class NetBuilder {
 public:
  NetBuilder(const NetOptions& options, std::vector<ParamTable*> tables, ConfigErrors* errors)
      : options_(options), tables_(std::move(tables)), errors_(errors) {}

  Net Run(const NetProto& conf) {
    Graph graph = FilterPhase(conf, options_.phase, errors_);
    PairRbms(&graph, errors_);
    FeedBack(&graph, errors_);
    Unroll(conf, &graph, errors_);
    Partition(conf, options_.parts, &graph, errors_);
    if (options_.fold) Fold(&graph);
    ExpectParams(&graph);
    if (options_.use) KeepOutput(options_.use->output, &graph, errors_);
    Expand(&graph, errors_);
    InsertSplits(&graph);
    Order(&graph, errors_);
    net_.phase_ = options_.phase;
    net_.reuse_ = options_.reuse;
    storage_ = net_.storage_.get();
    for (const Value& value : graph.values) {
      storage_->values.emplace_back();
      storage_->values.back().steps = value.steps;
      storage_->values.back().grad_steps.resize(value.steps);
    }
    for (const Node& node : graph.nodes) SetUp(&graph, node);
    ShapeFeedback();
    KeepOwnPart(graph);
    if (!errors_->empty()) return std::move(net_);
    MarkFeedback();
    FindBackward();
    if (options_.reuse) FuseReaders(&net_.nodes_, storage_->graph, storage_->values);
    return std::move(net_);
  }

 private:
  void ExpectParams(Graph* graph) {
    std::map<std::string, std::string> paths;  // by name, within one part
    for (GraphLayer& layer : graph->layers) {
      for (int i = 0; i < layer.conf.param_size() && !layer.faulty; ++i) {
        const ParamProto& param = layer.conf.param(i);
        const std::string path = StrCat(layer.path, ".param[", i, "]");
        if (param.name().empty()) continue;
        tables_[layer.part]->Expect(param, layer.conf.name(), path);
        if (layer.part > 0 || paths.emplace(param.name(), path).second) continue;
        errors_->push_back(
            ConfigError("name", StrCat("another param, ", paths[param.name()], ", has the name \"",
                                       param.name(), "\" too; to share its values, use share_from"))
                .Under(path));
        layer.faulty = true;
      }
    }
  }

  // Sets up one node where all its sources are known to be right.
  void SetUp(Graph* graph, const Node& graph_node) {
    GraphLayer& layer = graph->layers[graph_node.layer];
    for (const Read& read : graph_node.in)
      if (!read.feedback && !storage_->values[read.value].shaped) layer.faulty = true;
    if (layer.faulty) return;
    NetNode& node = net_.nodes_.emplace_back();
    storage_->graph.push_back(graph_node);
    Name(layer, graph_node, &node);
    for (const Read& read : graph_node.in) AddInPort(layer, read, &node);
    node.out_ports.resize(layer.wiring.num_outputs + layer.wiring.state_outputs);
    for (Port& port : node.out_ports) node.out.push_back(&port);
    node.declare = std::make_unique<Declare>(node.conf, tables_[layer.part], layer.path);
    try {
      node.layer = MakeLayer(node.conf);
      if (options_.use && node.wiring.is_input && node.in.empty())
        node.layer = NewFeed(std::move(node.layer), options_.use->rows, options_.use->fed);
      node.layer->Setup(node.conf, *node.declare, node.in, node.out);
      node.traits = node.layer->traits();
      for (size_t k = 0; k < node.out.size(); ++k) SetValue(layer, graph_node.out[k], &node, k);
    } catch (const ConfigError& error) {
      layer.faulty = true;
      if (paths_with_error_.insert(layer.path).second) errors_->push_back(error.Under(layer.path));
    }
  }

  void Name(const GraphLayer& layer, const Node& graph_node, NetNode* node) const {
    node->name = layer.conf.name();
    node->full_name = layer.conf.name();
    if (layer.steps > 1 && !layer.folded)
      node->full_name = StrCat(graph_node.step, "#", node->full_name);
    if (options_.parts > 1) node->full_name += StrCat("@", layer.part);
    node->path = layer.path;
    node->conf = layer.conf;
    node->conf.set_unroll_len(layer.folded ? layer.steps : 1);
    node->conf.set_unroll_index(graph_node.step);
    node->wiring = layer.wiring;
    node->part = layer.part;
  }

  // The shape of `steps` steps: rows of all steps, or [steps, rows, ...] for a recurrent layer.
  static Shape Stack(const Shape& step, int steps, bool sequence) {
    Shape shape = step;
    if (sequence) {
      std::vector<int64_t> dims = {steps};
      for (int i = 0; i < step.dims(); ++i) dims.push_back(step[i]);
      return Shape(std::span<const int64_t>(dims));
    }
    if (shape.dims()) shape.Set(0, shape[0] * steps);
    return shape;
  }

  void AddInPort(const GraphLayer& layer, const Read& read, NetNode* node) {
    const ShapedValue& value = storage_->values[read.value];
    Port& port = node->in_ports.emplace_back();
    node->in.push_back(&port);
    if (!value.shaped) return;  // read back from a later layer
    const bool sequence = layer.folded && layer.wiring.recurrent && read.steps > 1;
    port.data.SetShape(Stack(value.step_shape, read.steps, sequence));
    port.grad.SetShape(port.data.shape());
    if (value.label_shape.dims())
      port.label.SetShape(Stack(value.label_shape, read.steps, false), DType::kI32);
    port.span = value.span;
    port.span.first_step = value.span.first_step + read.first_step;
    port.span.steps = read.steps;
  }

  // What is read back from a later layer has its shape when that layer has.
  void ShapeFeedback() {
    for (size_t i = 0; i < net_.nodes_.size(); ++i)
      for (size_t k = 0; k < net_.nodes_[i].in.size(); ++k) {
        const Read& read = storage_->graph[i].in[k];
        const ShapedValue& value = storage_->values[read.value];
        if (!read.feedback || !value.shaped) continue;
        Port& port = *net_.nodes_[i].in[k];
        port.data.SetShape(value.step_shape);
        port.grad.SetShape(value.step_shape);
        port.span = value.span;
      }
  }

  void SetValue(const GraphLayer& layer, const Read& out, NetNode* node, size_t k) {
    Port& port = *node->out[k];
    if (port.data.shape().dims() == 0) throw ConfigError("", "the layer set no output shape");
    port.data.shape().Check();
    port.grad.SetShape(port.data.shape());
    ShapedValue& value = storage_->values[out.value];
    Shape step = port.data.shape();
    if (out.steps > 1) {
      if (layer.wiring.recurrent) {
        std::vector<int64_t> dims;
        for (int i = 1; i < step.dims(); ++i) dims.push_back(step[i]);
        step = Shape(std::span<const int64_t>(dims));
      } else {
        step.Set(0, step[0] / out.steps);
      }
    }
    if (value.shaped && !(value.step_shape == step))
      throw ConfigError("", StrCat("the output of one step has the shape ",
                                   value.step_shape.ToString(), ", of another ", step.ToString()));
    value.step_shape = step;
    value.shaped = true;
    if (port.label.shape().dims()) value.label_shape = Shape({port.label.shape()[0] / out.steps});
    if (port.span.rows == 0) {  // the layer left it: rows as its first source's
      if (!node->in.empty()) port.span = node->in[0]->span;
      if (port.span.rows == 0) port.span.rows = port.span.batch = step[0];
    }
    value.span = port.span;
    value.span.first_step -= out.first_step;
    value.span.steps = 1;
  }

  void KeepOwnPart(const Graph& graph) {
    if (options_.parts == 1) return;
    std::deque<NetNode> nodes;
    std::vector<Node> graph_nodes;
    for (size_t i = 0; i < net_.nodes_.size(); ++i) {
      if (graph.layers[storage_->graph[i].layer].part != options_.worker) continue;
      nodes.push_back(std::move(net_.nodes_[i]));
      graph_nodes.push_back(storage_->graph[i]);
    }
    net_.nodes_ = std::move(nodes);
    storage_->graph = std::move(graph_nodes);
  }

  // Which nodes run backward: those with something to train in or below them that a gradient
  // reaches; and which values need a gradient.
  void FindBackward() {
    if (!options_.gradients) return;
    const size_t n = net_.nodes_.size();
    std::vector<char> value_trains(storage_->values.size());
    for (size_t i = 0; i < n; ++i) {
      NetNode& node = net_.nodes_[i];
      bool trains = false;
      for (const Param* param : node.declare->params()) trains = trains || param->trains();
      for (const Read& read : storage_->graph[i].in)
        trains = trains || value_trains[read.value] || (read.remote && node.wiring.differentiable);
      node.runs_backward = trains;
      for (const Read& out : storage_->graph[i].out) value_trains[out.value] |= trains;
    }
    for (size_t i = n; i-- > 0;) {
      NetNode& node = net_.nodes_[i];
      bool reached = node.traits.originates_gradient || node.conf.type() == kBridgeSrc;
      for (const Read& out : storage_->graph[i].out)
        reached = reached || storage_->values[out.value].needs_grad(out);
      node.runs_backward = node.runs_backward && reached && node.wiring.differentiable;
      if (!node.runs_backward) continue;
      // On a feedback loop both phases give each layer its own gradient; none flows between them.
      for (const Read& read : storage_->graph[i].in)
        if (value_trains[read.value] && !node.in_feedback) GiveGradient(read);
      ZeroUncovered(storage_->graph[i], &node);
    }
    MarkCompletes();
  }

  void GiveGradient(const Read& read) {
    std::vector<bool>& steps = storage_->values[read.value].grad_steps;
    std::fill_n(steps.begin() + read.first_step, read.steps, true);
  }

  // Readers' gradients may cover some steps of an output only: the rest of its gradient is zero.
  void ZeroUncovered(const Node& graph_node, NetNode* node) const {
    for (size_t k = 0; k < graph_node.out.size(); ++k) {
      const Read& out = graph_node.out[k];
      if (!storage_->values[out.value].needs_grad(out)) continue;
      for (int t = 0; t < out.steps; ++t)
        if (!storage_->values[out.value].grad_steps[out.first_step + t])
          node->unread.push_back({node->out[k], t, out.steps});
    }
  }

  void MarkCompletes() {
    std::map<const Param*, int> users;
    for (NetNode& node : net_.nodes_) {  // backward order ends at the first node
      if (!node.runs_backward) continue;
      for (Param* param : node.declare->params())
        if (param->trains() && users[param]++ == 0) node.completes.push_back(param);
    }
    for (NetNode& node : net_.nodes_)
      for (Param* param : node.declare->in_pieces())
        if (users[param] == 1) node.in_pieces.push_back(param);
  }

  // Nodes after one with a feedback slot that the value read back depends on.
  void MarkFeedback() {
    const std::vector<Node>& graph = storage_->graph;
    for (size_t v = 0; v < graph.size(); ++v) {
      std::set<int> wanted;
      for (const Read& read : graph[v].in)
        if (read.feedback && !read.delayed) wanted.insert(read.value);
      if (wanted.empty()) continue;
      net_.nodes_[v].in_feedback = true;
      for (size_t i = graph.size(); i-- > v + 1;) {
        bool gives = false;
        for (const Read& out : graph[i].out) gives = gives || wanted.count(out.value);
        if (!gives) continue;
        net_.nodes_[i].in_feedback = true;
        for (const Read& read : graph[i].in) wanted.insert(read.value);
      }
    }
  }

  const NetOptions options_;
  std::vector<ParamTable*> tables_;
  ConfigErrors* errors_;
  Net net_;
  Net::Storage* storage_ = nullptr;
  std::set<std::string> paths_with_error_;
};

Net BuildNet(const NetProto& conf, const NetOptions& options, std::vector<ParamTable*> tables,
             ConfigErrors* errors) {
  return NetBuilder(options, std::move(tables), errors).Run(conf);
}

Net BuildNet(const NetProto& conf, const NetOptions& options, ParamTable* params) {
  ConfigErrors errors;
  Net net = BuildNet(conf, options, std::vector<ParamTable*>{params}, &errors);
  if (!errors.empty()) throw errors.front().Under("neuralnet");
  return net;
}

}  // namespace singa
