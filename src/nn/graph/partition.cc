// Partition decides which part of the net each worker of a group computes. If all layers are cut by
// rows, a layer only reads rows of its own worker. The part of one worker then is the whole net,
// with the worker's number in it.
//
// If layers may be cut by units, every layer becomes K copies, copy i for worker i. Helper layers
// move data if a source's copies hold other rows or units than its reader needs:
//
//   reader on units (1) that needs all units of each row   split(source) -> concate on source's dim
//   both on the same dimension                             copy i reads copy i
//   else                                                   slice on reader's -> concate on source's
//
// Piece j of every helper goes to worker j; a piece for another worker crosses a bridge pair.
#include "nn/graph/graph.h"

namespace singa {
namespace {

class Partitioner {
 public:
  Partitioner(int parts, const Graph& whole) : parts_(parts), whole_(whole) {}

  Graph Run() {
    for (int i = 0; i < parts_; ++i)
      for (const GraphLayer& layer : whole_.layers) {
        GraphLayer copy = layer;
        copy.in.clear();
        Add(std::move(copy), i);
      }
    for (size_t dst = 0; dst < whole_.layers.size(); ++dst)
      for (const Link& link : whole_.layers[dst].in) Connect(link, static_cast<int>(dst));
    return std::move(out_);
  }

 private:
  int Add(GraphLayer layer, int part) {
    layer.part = part;
    layer.conf.set_partition_id(part);
    layer.conf.set_num_partitions(parts_);
    out_.layers.push_back(std::move(layer));
    return static_cast<int>(out_.layers.size()) - 1;
  }
  int Copy(int layer, int part) const {
    return part * static_cast<int>(whole_.layers.size()) + layer;
  }

  void Connect(const Link& link, int dst) {
    const GraphLayer& from = whole_.layers[link.source];
    const GraphLayer& to = whole_.layers[dst];
    const int from_dim = from.conf.partition_dim(), to_dim = to.conf.partition_dim();
    const bool all_units = to_dim == 1 && to.wiring.dependency != Dependency::kOneToOne;
    if (!all_units && from_dim == to_dim) {
      for (int i = 0; i < parts_; ++i) {
        Link direct = link;
        direct.source = Copy(link.source, i);
        out_.layers[Copy(dst, i)].in.push_back(direct);
      }
      return;
    }
    std::vector<int> pieces;
    for (int i = 0; i < parts_; ++i) pieces.push_back(AddPieces(link, to, all_units, i));
    for (int j = 0; j < parts_; ++j) AddConcate(link, dst, from_dim, pieces, j);
  }

  GraphLayer Helper(const std::string& kind, LayerType type, const Link& link,
                    const GraphLayer& to) const {
    const GraphLayer& from = whole_.layers[link.source];
    GraphLayer helper;
    helper.conf.set_name(StrCat(kind, "(", from.conf.name(), "->", to.conf.name(), ")"));
    helper.conf.set_type(type);
    helper.path = to.path;
    helper.steps = from.steps;
    return helper;
  }

  // Adds the layer on worker i that makes one piece for each worker.
  int AddPieces(const Link& link, const GraphLayer& to, bool all_units, int i) {
    GraphLayer helper =
        Helper(all_units ? "split" : "slice", all_units ? kSplit : kSlice, link, to);
    if (all_units) {
      helper.conf.mutable_split_conf()->set_num_splits(parts_);
    } else {
      helper.conf.mutable_slice_conf()->set_slice_dim(to.conf.partition_dim());
      helper.conf.mutable_slice_conf()->set_num_slices(parts_);
    }
    helper.wiring.num_outputs = parts_;
    Link in;
    in.source = Copy(link.source, i);
    in.output = link.output;
    helper.in.push_back(in);
    return Add(std::move(helper), i);
  }

  void AddConcate(const Link& link, int dst, int dim, const std::vector<int>& pieces, int j) {
    const GraphLayer& to = whole_.layers[dst];
    GraphLayer concate = Helper("concate", kConcate, link, to);
    concate.conf.mutable_concate_conf()->set_concate_dim(dim);
    concate.conf.mutable_concate_conf()->set_num_concates(1);
    for (int i = 0; i < parts_; ++i) {
      Link piece;
      piece.source = pieces[i];
      piece.output = j;
      concate.in.push_back(i == j ? piece : Bridge(link, to, piece, i, j));
    }
    Link moved = link;
    moved.source = Add(std::move(concate), j);
    moved.output = 0;
    out_.layers[Copy(dst, j)].in.push_back(moved);
  }

  // Adds a bridge pair that carries the piece from worker i to worker j. Returns the link on worker
  // j.
  Link Bridge(const Link& link, const GraphLayer& to, const Link& piece, int i, int j) {
    GraphLayer src = Helper(StrCat("bridge_src", j), kBridgeSrc, link, to);
    src.in.push_back(piece);
    Link across;
    across.source = Add(std::move(src), i);
    across.remote = true;
    GraphLayer dst = Helper(StrCat("bridge_dst", i), kBridgeDst, link, to);
    dst.in.push_back(across);
    Link arrived;
    arrived.source = Add(std::move(dst), j);
    return arrived;
  }

  const int parts_;
  const Graph& whole_;
  Graph out_;
};

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
  bool faulty = false;
  for (GraphLayer& layer : graph->layers) {
    try {
      if (!layer.faulty) CheckDimension(net, &layer);
      if (!layer.faulty) CheckWhole(layer, cut);
    } catch (const ConfigError& error) {
      errors->push_back(error.Under(layer.path));
      layer.faulty = true;
    }
    faulty = faulty || layer.faulty;
    if (!cut.units) layer.conf.set_partition_dim(0);
    layer.part = cut.units ? 0 : cut.worker;
    layer.conf.set_partition_id(layer.part);  // overrides the conf's value
    layer.conf.set_num_partitions(cut.units ? 1 : cut.workers);
  }
  if (cut.units && cut.workers > 1 && !faulty) *graph = Partitioner(cut.workers, *graph).Run();
}

}  // namespace singa
