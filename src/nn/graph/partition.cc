// Partition gives each worker of a group its part of the net: its rows of each layer, its units of
// layers with partition_dim 1, or the rows and units of a partition_grid. The part of a worker is
// the whole net with the worker's number in it. Where a layer needs another part of its source's
// feature than the worker has, a bridge gets it from the other workers:
//
//   the reader needs             because it
//   its rows, its units          is divided in this way, unit by unit
//   its rows, all units          computes its units from all units
//   its rows of each piece       cuts rows into pieces (kSlice)
//   its rows of the joined rows  reads joined rows (kConcate)
//   everything                   writes a file (the first worker writes)
//
// A layer may need a bridge within its own work if it is divided by units. It then becomes several
// layers, its stages.
//
// All parts have the same layers in the same order, so the workers come to each bridge in the same
// order.
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "nn/graph/graph.h"

namespace singa {
namespace {

// These are false for a layer of a user's own, which works on the rows of each worker.

// Returns whether the workers divide what the layer reads piece by piece.
bool CutsRows(const GraphLayer& layer) {
  return layer.wiring.cuts_rows && !layer.conf.has_user_type();
}
// Returns whether the workers divide what the layer gives piece by piece.
bool JoinsRows(const GraphLayer& layer) {
  return layer.wiring.joins_rows && !layer.conf.has_user_type();
}
// Returns whether one worker writes all rows.
bool WritesRows(const GraphLayer& layer) {
  return layer.wiring.writes_file && !layer.conf.has_user_type();
}

class Bridges {
 public:
  Bridges(const NetCut& cut, Graph* graph) : cut_(cut), graph_(*graph) {}

  void Insert() {
    const int layers = static_cast<int>(graph_.layers.size());
    for (int i = 0; i < layers; ++i)
      if (JoinsRows(graph_.layers[i])) InsertBehind(i, layers);
    for (int i = 0; i < layers; ++i)
      for (size_t slot = 0; slot < graph_.layers[i].in.size(); ++slot) {
        const Link link = graph_.layers[i].in[slot];
        const auto [to, sums] = NeedOf(graph_.layers[i]);
        Bridge bridge{.from = LayoutOf(graph_.layers[link.source].conf), .to = to, .sums = sums};
        bridge.labels = CutsRows(graph_.layers[i]) || WritesRows(graph_.layers[i]);
        if (CutsRows(graph_.layers[i])) bridge.pieces = graph_.layers[i].wiring.num_outputs;
        if (bridge.from != bridge.to || bridge.sums) Read(i, slot, EndOf(link, bridge, i));
      }
  }

 private:
  Need NeedOf(const GraphLayer& reader) const {
    if (CutsRows(reader)) return {{.rows = cut_.workers, .pieces = true}};
    if (WritesRows(reader)) return {kWholeLayout};
    return singa::NeedOf(LayoutOf(reader.conf), reader.wiring.unit_cut == UnitCut::kOwn);
  }

  // All readers of joined rows, among the first `layers`, read the end of one bridge.
  void InsertBehind(int join, int layers) {
    Bridge bridge{.from = {.rows = cut_.workers, .pieces = true},
                  .to = LayoutByRows(cut_.workers),
                  .pieces = 0,
                  .labels = true};
    for (const Link& link : graph_.layers[join].in)
      bridge.pieces += link.kind == Link::kAllSteps ? graph_.layers[link.source].steps : 1;
    for (int i = 0; i < layers; ++i)
      for (size_t slot = 0; slot < graph_.layers[i].in.size(); ++slot) {
        const Link link = graph_.layers[i].in[slot];
        if (link.source == join) Read(i, slot, EndOf(link, bridge, i));
      }
  }

  // Sets what a layer reads to the only output of `source`.
  void Read(int reader, size_t slot, int source) {
    graph_.layers[reader].in[slot].source = source;
    graph_.layers[reader].in[slot].output = 0;
  }

  // Returns the end of a bridge. Readers that need the same part of one output share it.
  int EndOf(const Link& link, Bridge bridge, int reader) {
    const auto [at, added] = ends_.try_emplace(
        {link.source, link.output, bridge.to, bridge.sums, bridge.pieces, bridge.labels}, 0);
    if (!added) return at->second;
    bridge.worker = cut_.worker;
    bridge.workers = cut_.workers;
    bridge.to_grid = graph_.layers[reader].own_grid;
    bridge.on_device = cut_.gpus_exchange;
    bridge.tag = next_tag_;
    next_tag_ += bridge.tags() * graph_.layers[link.source].steps;
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
    layer.conf.mutable_partition_grid()->set_rows(bridge.to.rows);
    layer.conf.mutable_partition_grid()->set_units(bridge.to.units);
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
  // By source, output, need, sums, pieces and labels.
  std::map<std::tuple<int, int, Layout, bool, int, bool>, int> ends_;
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

// Throws ConfigError if the conf's grid does not fit the workers. One worker has no parts, so that
// a conf runs on it unchanged.
void CheckGrid(const LayerProto& conf, int workers) {
  if (!conf.has_partition_grid()) return;
  const int64_t rows = conf.partition_grid().rows(), units = conf.partition_grid().units();
  if (rows < 1) throw ConfigError("partition_grid.rows", StrCat("must be >= 1, is ", rows));
  if (units < 1) throw ConfigError("partition_grid.units", StrCat("must be >= 1, is ", units));
  if (conf.partition_dim() != -1)
    throw ConfigError("partition_dim", "must not be set beside partition_grid");
  if (workers > 1 && rows * units != 1 && rows * units != workers)
    throw ConfigError("partition_grid",
                      StrCat("rows times units must be 1 or ", workers,
                             ", the number of workers of the group, is ", rows * units));
}

// Returns the dimension by which the workers divide the layer, unless it has a grid.
int DimensionOf(const NetProto& net, const LayerProto& conf) {
  const int dimension = conf.partition_dim() == -1 ? net.partition_dim() : conf.partition_dim();
  if (dimension != 0 && dimension != 1)
    throw ConfigError("partition_dim", StrCat("must be 0 (rows) or 1 (units), is ", dimension));
  return dimension;
}

// Sets the layer's grid, from its own grid or partition_dim. `by_units`: the workers can divide it
// by units, between its `groups` alone (Wiring::unit_groups).
void SetGrid(const NetProto& net, const NetCut& cut, bool by_units, int groups, LayerProto* conf) {
  CheckGrid(*conf, cut.workers);
  const int dimension = DimensionOf(net, *conf);
  Layout layout = dimension == 1 ? LayoutByUnits(cut.workers) : LayoutByRows(cut.workers);
  if (conf->has_partition_grid()) layout = LayoutOf(*conf);
  if (!by_units || groups % layout.units != 0 || cut.workers == 1)
    layout = LayoutByRows(cut.workers);
  conf->mutable_partition_grid()->set_rows(layout.rows);
  conf->mutable_partition_grid()->set_units(layout.units);
  conf->set_partition_dim(layout.units > 1 ? 1 : 0);
}

// Throws ConfigError if the workers, or the groups, cannot divide what the layer does.
void CheckCut(const GraphLayer& layer, const NetCut& cut) {
  if (WritesRows(layer) && cut.groups > 1)
    throw ConfigError("type", StrCat("writes one file, but the batches of the ", cut.groups,
                                     " worker groups that train have no order: use it in a test "
                                     "alone (include: kTest)"));
}

// Puts the stages of a layer that the workers divide by units in its place. The last one stays
// where the layer was, so that its readers read it.
void InsertStages(size_t place, Graph* graph) {
  const GraphLayer whole = graph->layers[place];
  if (whole.faulty || whole.wiring.stages == 1 || LayoutOf(whole.conf).units == 1) return;
  std::vector<Link> in = whole.in;
  for (int k = 0; k < whole.wiring.stages; ++k) {
    GraphLayer stage = whole;
    stage.stage = k;
    stage.wiring = MakeLayer(whole.conf)->Stage(k)->wiring(whole.conf);
    stage.in = std::move(in);
    if (k + 1 == whole.wiring.stages) {
      graph->layers[place] = std::move(stage);
      return;
    }
    stage.inserted = true;
    in = {Link{.source = static_cast<int>(graph->layers.size())}};
    graph->layers.push_back(std::move(stage));
  }
}

}  // namespace

void Partition(const NetProto& net, const NetCut& cut, Graph* graph, ConfigErrors* errors) {
  for (GraphLayer& layer : graph->layers) {
    layer.own_grid = layer.conf.has_partition_grid();
    try {
      if (!layer.faulty)
        SetGrid(net, cut, cut.units && HasUnits(*graph, layer), layer.wiring.unit_groups,
                &layer.conf);
      if (!layer.faulty) CheckCut(layer, cut);
    } catch (const ConfigError& error) {
      AddFault(error, &layer, errors);
    }
    layer.part = cut.worker;
    layer.conf.set_partition_id(cut.worker);  // overrides the conf's value
    layer.conf.set_num_partitions(cut.workers);
  }
  if (cut.workers == 1) return;
  const size_t layers = graph->layers.size();
  for (size_t i = 0; i < layers; ++i) InsertStages(i, graph);
  Bridges(cut, graph).Insert();
}

}  // namespace singa
