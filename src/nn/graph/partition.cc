// Partition gives each worker of a group its part of the net: its rows of each layer, or its units
// of layers with partition_dim 1. The part of a worker is the whole net with the worker's number in
// it. Where a layer needs another part of its source's feature than the worker has, a bridge gets
// it from the other workers:
//
//   the source is divided by   the reader needs             because it
//   rows                       the worker's units           is divided by units, unit by unit
//   rows or units              everything                   computes its units from all units
//   units                      the worker's rows            is divided by rows
//
// All parts have the same layers in the same order, so the workers come to each bridge in the same
// order.
#include <map>
#include <tuple>

#include "nn/graph/graph.h"

namespace singa {
namespace {

class Bridges {
 public:
  Bridges(const NetCut& cut, Graph* graph) : cut_(cut), graph_(*graph) {}

  void Insert() {
    const size_t layers = graph_.layers.size();
    for (size_t i = 0; i < layers; ++i)
      for (size_t slot = 0; slot < graph_.layers[i].in.size(); ++slot) {
        const Link link = graph_.layers[i].in[slot];
        const Layout from = LayoutOf(graph_.layers[link.source]), to = NeedOf(graph_.layers[i]);
        if (from == to) continue;
        Link across = link;
        across.source = EndOf(link, from, to, static_cast<int>(i));
        across.output = 0;
        graph_.layers[i].in[slot] = across;
      }
  }

 private:
  static Layout LayoutOf(const GraphLayer& layer) {
    return layer.conf.partition_dim() == 1 ? Layout::kUnits : Layout::kRows;
  }
  static Layout NeedOf(const GraphLayer& reader) {
    if (LayoutOf(reader) == Layout::kRows) return Layout::kRows;
    return reader.wiring.unit_cut == UnitCut::kOwn ? Layout::kAll : Layout::kUnits;
  }

  // Returns the end of a bridge. Readers that need the same part of one output share it.
  int EndOf(const Link& link, Layout from, Layout to, int reader) {
    const auto [at, added] = ends_.try_emplace({link.source, link.output, to}, 0);
    if (!added) return at->second;
    const Bridge bridge{from, to, cut_.worker, cut_.workers, next_tag_};
    next_tag_ += Bridge::kTags * graph_.layers[link.source].steps;
    Link in;
    in.source = link.source;
    in.output = link.output;
    in.source = Add("bridge_src", in, bridge, GraphLayer::kBridgeSource, reader);
    in.output = 0;
    return at->second = Add("bridge_dst", in, bridge, GraphLayer::kBridgeEnd, reader);
  }

  int Add(const char* kind, const Link& in, const Bridge& bridge, GraphLayer::BridgeRole role,
          int reader) {
    const GraphLayer& source = graph_.layers[in.source];
    const GraphLayer& to = graph_.layers[reader];
    const std::string& name = role == GraphLayer::kBridgeSource
                                  ? source.conf.name()
                                  : graph_.layers[source.in[0].source].conf.name();
    GraphLayer layer;
    layer.conf.set_name(StrCat(kind, "(", name, "->", to.conf.name(), ")"));
    layer.conf.set_type(role == GraphLayer::kBridgeSource ? kBridgeSrc : kBridgeDst);
    layer.path = to.path;
    layer.wiring.row_wise = true;  // for Fold: the rows of each time step move among themselves
    layer.in = {in};
    layer.steps = source.steps;
    layer.part = cut_.worker;
    layer.faulty = source.faulty || to.faulty;
    layer.inserted = true;
    layer.bridge = bridge;
    layer.bridge_role = role;
    graph_.layers.push_back(std::move(layer));
    return static_cast<int>(graph_.layers.size()) - 1;
  }

  const NetCut cut_;
  Graph& graph_;
  std::map<std::tuple<int, int, Layout>, int> ends_;  // by source, output and need
  int next_tag_ = 0;
};

// Returns whether the workers can divide the layer by units.
bool HasUnits(const Graph& graph, const GraphLayer& layer) {
  if (layer.wiring.unit_cut == UnitCut::kNone || layer.in.empty()) return false;
  for (const Link& link : layer.in) {
    const bool steps = graph.layers[link.source].wiring.outputs_are_steps;
    if (steps || link.feedback || link.kind != Link::kSameStep) return false;
  }
  return true;
}

void CheckDimension(const NetProto& net, GraphLayer* layer) {
  LayerProto& conf = layer->conf;
  if (!conf.has_partition_dim() || conf.partition_dim() == -1)
    conf.set_partition_dim(net.partition_dim());
  if (conf.partition_dim() != 0 && conf.partition_dim() != 1)
    throw ConfigError("partition_dim",
                      StrCat("must be 0 (rows) or 1 (units), is ", conf.partition_dim()));
}

// Throws ConfigError if a layer needs the whole batch, which no worker has.
void CheckWhole(const GraphLayer& layer, const NetCut& cut) {
  const LayerProto& conf = layer.conf;
  if (conf.has_user_type()) return;
  const std::string workers = StrCat(cut.workers, " workers of the group");
  if (conf.type() == kSlice && conf.slice_conf().slice_dim() == 0 && cut.workers > 1)
    throw ConfigError("slice_conf.slice_dim",
                      StrCat("must be > 0: the rows are cut over the ", workers));
  if (conf.type() == kConcate && conf.concate_conf().concate_dim() == 0 && cut.workers > 1)
    throw ConfigError("concate_conf.concate_dim",
                      StrCat("must be > 0: the rows are cut over the ", workers));
  if (!layer.wiring.writes_file || (cut.workers == 1 && cut.groups == 1)) return;
  throw ConfigError("type", StrCat("writes one file, which the ",
                                   cut.workers > 1 ? workers : StrCat(cut.groups, " worker groups"),
                                   " that train cannot: use it in a test alone (include: kTest)"));
}

}  // namespace

void Partition(const NetProto& net, const NetCut& cut, Graph* graph, ConfigErrors* errors) {
  for (GraphLayer& layer : graph->layers) {
    try {
      if (!layer.faulty) CheckDimension(net, &layer);
      if (!layer.faulty) CheckWhole(layer, cut);
    } catch (const ConfigError& error) {
      errors->push_back(error.Under(layer.path));
      layer.faulty = true;
    }
    if (cut.workers == 1 || !cut.units || !HasUnits(*graph, layer)) layer.conf.set_partition_dim(0);
    layer.part = cut.worker;
    layer.conf.set_partition_id(cut.worker);  // overrides the conf's value
    layer.conf.set_num_partitions(cut.workers);
  }
  if (cut.workers > 1) Bridges(cut, graph).Insert();
}

}  // namespace singa
