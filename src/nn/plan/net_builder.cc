#include "nn/plan/net_builder.h"

#include <map>
#include <set>

#include "nn/connection/bridge.h"
#include "nn/graph/share_hint.h"
#include "nn/graph/targets_hint.h"
#include "nn/input/pair_cuts.h"
#include "nn/input/pair_readers.h"
#include "nn/plan/backward.h"
#include "nn/plan/fuse.h"
#include "nn/plan/net_layout.h"

namespace singa {
namespace {

class NetBuilder {
 public:
  NetBuilder(const NetOptions& options, ParamTable* params, ConfigErrors* errors)
      : options_(options), params_(*params), errors_(errors) {}

  Net Run(const NetProto& conf) {
    conf_ = &conf;
    const NetOfPhase whole = {conf, options_.phase, options_.asker};
    Graph graph = FilterPhase(whole, errors_);
    PairRbms(&graph, errors_);
    FeedBack(whole, &graph, errors_);
    Unroll(conf, &graph, errors_);
    Partition(conf, CutOf(options_), &graph, errors_);
    params_.ScaleBy({conf.param_scale().begin(), conf.param_scale().end()});
    ExpectParams(&graph);
    if (options_.use) KeepOutput(whole, options_.use->output, &graph, errors_);
    if (options_.use && options_.use->step_by_step) StepByStep(&graph, errors_);
    Fold(options_.fold, &graph, errors_);
    const bool causal = IsCausal(graph);
    Expand(&graph, errors_);
    KeepNeeded(&graph);
    InsertSplits(&graph);
    Order(&graph, errors_);
    layout_->reuse = options_.reuse;
    for (const Value& value : graph.values) {
      layout_->values.emplace_back();
      layout_->values.back().steps = value.steps;
      layout_->values.back().grad_steps.resize(value.steps);
    }
    data_.resize(graph.values.size());
    for (const Node& node : graph.nodes) SetUp(&graph, node);
    if (!options_.use) PairReaders(options_.phase, &nodes_, errors_);
    PairCuts(&nodes_);
    ShapeFeedback();
    if (errors_->empty()) FindUses();
    return Net(options_.phase, causal, std::move(nodes_), std::move(layout_));
  }

 private:
  static NetCut CutOf(const NetOptions& options) {
    return {.workers = options.parts,
            .worker = options.worker,
            .units = options.units,
            .gpus_exchange = options.gpus_exchange,
            .groups = options.groups};
  }

  // Marks the nodes that run backward, and those whose source does their work.
  void FindUses() {
    for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i].place = static_cast<int>(i);
    MarkFeedback(&nodes_, layout_->graph);
    if (options_.gradients) FindBackward(&nodes_, layout_->graph, &layout_->values, errors_);
    if (options_.reuse) FuseReaders(&nodes_, layout_->graph, layout_->values);
  }

  // Returns whether no time step of a layer depends on a later step.
  static bool IsCausal(const Graph& graph) {
    for (const GraphLayer& layer : graph.layers) {
      const Wiring& wiring = layer.wiring;
      if (layer.steps > 1 && wiring.sequence && !wiring.recurrent && !wiring.causal) return false;
      for (const Link& link : layer.in)
        if (graph.layers[link.source].steps > 1 &&
            (link.kind == Link::kLastToFirst || link.kind == Link::kAllSteps))
          return false;
    }
    return true;
  }

  void ExpectParams(Graph* graph) {
    std::map<std::string, std::string> paths;  // by name
    for (GraphLayer& layer : graph->layers) {
      if (layer.inserted) continue;  // a stage has its layer's params
      for (int i = 0; i < layer.conf.param_size() && !layer.faulty; ++i) {
        const ParamProto& param = layer.conf.param(i);
        const std::string path = StrCat(layer.path, ".param[", i, "]");
        if (param.name().empty()) continue;
        params_.Expect(param, layer.conf.name(), path);
        if (paths.emplace(param.name(), path).second) continue;
        errors_->push_back(
            ConfigError("name", StrCat("another param, ", paths[param.name()], ", has the name \"",
                                       param.name(), "\" too; to share its values, use share_from"))
                .Under(path));
        layer.faulty = true;
      }
    }
  }

  // Sets up one node, unless a source has an error.
  void SetUp(Graph* graph, const Node& graph_node) {
    GraphLayer& layer = graph->layers[graph_node.layer];
    for (const Read& read : graph_node.in)
      if (!read.feedback && !layout_->values[read.value].shaped) layer.faulty = true;
    if (layer.faulty) return;
    NetNode& node = nodes_.emplace_back();
    layout_->graph.push_back(graph_node);
    Name(layer, graph_node, &node);
    for (const Read& read : graph_node.in) AddInPort(layer, read, &node);
    node.out_ports.resize(layer.wiring.num_outputs + layer.wiring.state_outputs);
    for (Port& port : node.out_ports) node.out.push_back(&port);
    std::string data = graph_node.in.empty() ? "" : data_[graph_node.in[0].value];
    node.declare =
        std::make_unique<Declare>(node.conf, &params_,
                                  LayerPlace{layer.path, Phase_Name(options_.phase) + data,
                                             options_.group, options_.groups, options_.phase});
    try {
      node.layer = NewLayer(layer, node.conf);
      if (options_.use && node.wiring.is_input && node.in.empty())
        node.layer = NewFeed(std::move(node.layer), options_.use->rows, options_.use->fed);
      node.layer->Setup(node.conf, *node.declare, node.in, node.out);
      node.traits = node.layer->traits();
      for (size_t k = 0; k < node.out.size(); ++k) SetValue(layer, graph_node.out[k], &node, k);
      if (graph_node.in.empty()) data = DataText(node);
      for (const Read& out : graph_node.out) data_[out.value] = data;
      CheckCut(node);
    } catch (const ConfigError& error) {
      layer.faulty = true;
      if (paths_with_error_.insert(layer.path).second)
        errors_->push_back(WithHint(error, node.conf).Under(layer.path));
    }
  }

  static std::unique_ptr<Layer> NewLayer(const GraphLayer& layer, const LayerProto& conf) {
    if (layer.bridge_role == GraphLayer::kBridgeSource) return NewBridgeSource(layer.bridge);
    if (layer.bridge_role == GraphLayer::kBridgeEnd) return NewBridgeEnd(layer.bridge);
    std::unique_ptr<Layer> whole = MakeLayer(conf);
    return layer.stage < 0 ? std::move(whole) : whole->Stage(layer.stage);
  }

  // Adds what the layer cannot know: params of other phases, and targets of its sources.
  ConfigError WithHint(const ConfigError& error, const LayerProto& layer) const {
    for (int i = 0; i < layer.param_size(); ++i) {
      if (error.path() != StrCat("param[", i, "].share_from")) continue;
      const std::string& name = layer.param(i).share_from();
      const std::string hint = ShareHint(*conf_, options_.phase, name);
      if (!hint.empty() && error.message().starts_with("no param"))
        return ConfigError(error.path(), StrCat("no param \"", name, "\"", hint));
    }
    const std::string hint = TargetsHint(*conf_, options_.phase, layer, error);
    return hint.empty() ? error : ConfigError(error.path(), error.message() + hint);
  }

  // Returns ", where layer[data] gives (1, 8, 8)", with the sample's shape as in the conf of
  // `node`.
  static std::string DataText(const NetNode& node) {
    const Shape& shape = node.out[0]->data.shape();
    std::vector<int64_t> sample;
    for (int i = 1; i < shape.dims(); ++i) sample.push_back(shape[i]);
    if (sample.empty()) return "";
    return StrCat(", where ", node.path, " gives ",
                  Shape(std::span<const int64_t>(sample)).ToString());
  }

  void Name(const GraphLayer& layer, const Node& graph_node, NetNode* node) const {
    node->name = layer.conf.name();
    node->full_name = layer.conf.name();
    if (layer.stage >= 0) node->full_name += StrCat("+", layer.stage + 1);
    if (layer.steps > 1 && !layer.folded)
      node->full_name = StrCat(graph_node.step, "#", node->full_name);
    if (options_.parts > 1) node->full_name += StrCat("@", layer.part);
    node->path = layer.path;
    node->conf = layer.conf;
    node->conf.set_unroll_len(layer.folded ? layer.steps : 1);
    node->conf.set_unroll_index(graph_node.step);
    node->wiring = layer.wiring;
    node->part = layer.part;
    node->bridge = layer.bridge_role != GraphLayer::kNoBridge;
  }

  // Returns the shape of `steps` steps: [steps * rows, ...], or [steps, rows, ...] for a sequence
  // layer.
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
    const ShapedValue& value = layout_->values[read.value];
    Port& port = node->in_ports.emplace_back();
    node->in.push_back(&port);
    if (!value.shaped) return;  // read back from a later layer
    const bool sequence = layer.folded && layer.wiring.sequence && read.steps > 1;
    port.data.SetShape(Stack(value.step_shape, read.steps, sequence));
    port.grad.SetShape(port.data.shape());
    if (value.label_shape.dims())
      port.label.SetShape(Stack(value.label_shape, read.steps, false), DType::kI32);
    port.units = value.units;
    port.pieces = value.pieces;
    port.span = value.span;
    port.span.first_step = value.span.first_step + read.first_step;
    port.span.steps = read.steps;
  }

  // Shapes the ports that read back from later layers, whose shapes are known now.
  void ShapeFeedback() {
    for (size_t i = 0; i < nodes_.size(); ++i)
      for (size_t k = 0; k < nodes_[i].in.size(); ++k) {
        const Read& read = layout_->graph[i].in[k];
        const ShapedValue& value = layout_->values[read.value];
        if (!read.feedback || !value.shaped) continue;
        Port& port = *nodes_[i].in[k];
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
    ShapedValue& value = layout_->values[out.value];
    Shape step = port.data.shape();
    if (out.steps > 1) {
      if (layer.wiring.sequence) {
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
    if (port.span.rows == 0) {  // the layer did not set it: take the first source's rows
      if (!node->in.empty()) port.span = node->in[0]->span;
      if (port.span.rows == 0) port.span.rows = port.span.batch = step[0];
    }
    if (port.units.all == 0 && layer.conf.partition_dim() == 1) port.units = node->in[0]->units;
    value.units = port.units;
    value.pieces = port.pieces;
    value.span = port.span;
    value.span.first_step -= out.first_step;
    value.span.steps = 1;
  }

  // Throws if an input layer gives each worker the whole batch, which would then count several
  // times.
  void CheckCut(const NetNode& node) const {
    if (options_.parts == 1 || !node.in.empty() || node.out.empty()) return;
    const RowSpan& span = node.out[0]->span;
    if (span.rows == span.batch)
      throw ConfigError("", StrCat("gives every worker of the group the whole batch: it must give "
                                   "worker partition_id of num_partitions, ",
                                   options_.parts, ", its own rows"));
  }

  const NetProto* conf_ = nullptr;
  const NetOptions options_;
  ParamTable& params_;
  ConfigErrors* errors_;
  std::deque<NetNode> nodes_;
  std::unique_ptr<NetLayout> layout_ = std::make_unique<NetLayout>();
  std::vector<std::string> data_;  // for each value: DataText of the input layer below it
  std::set<std::string> paths_with_error_;
};

}  // namespace

Net BuildNet(const NetProto& conf, const NetOptions& options, ParamTable* params,
             ConfigErrors* errors) {
  return NetBuilder(options, params, errors).Run(conf);
}

Net BuildNet(const NetProto& conf, const NetOptions& options, ParamTable* params) {
  ConfigErrors errors;
  Net net = BuildNet(conf, options, params, &errors);
  if (!errors.empty()) throw errors.front().Under("neuralnet");
  return net;
}

}  // namespace singa
