#include "nn/connection/bridge.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "base/text/counted.h"
#include "nn/connection/bridge_regions.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

RegionExchange& ExchangeOf(const Context& ctx) { return *ctx.exchange; }

bool HasPieces(const Bridge& bridge) { return bridge.from.pieces || bridge.to.pieces; }

class BridgeSource final : public Layer {
 public:
  explicit BridgeSource(const Bridge& bridge) : bridge_(bridge) {}

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    step_ = conf.unroll_index();
    CheckRows(*in[0]);
    regions_ = BridgeRegions(bridge_, *in[0]);
    if (bridge_.labels && in[0]->has_label())
      labels_ = BridgeRegions(bridge_, *in[0], in[0]->label.shape());
    CheckUnits();
    if (bridge_.to.pieces) CheckPieces();
    SetOutput(*in[0], out[0]);
  }

  Traits traits() const override { return {.grad_reads_in = true, .on_device = bridge_.on_device}; }

  // A step that the group drops ends after this: then nobody waits for what was offered. The group
  // has agreed on it after all had taken their regions.
  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    float *const x = in[0]->data.data(), *const y = out[0]->data.data();
    Offer(ctx, Bridge::kFeature, regions_, x, y);
    // Without a backward pass the feature is not kept, so the others have to take it now.
    if (!in[0]->wants_grad) Take(ctx, Bridge::kFeature, regions_, y);
    if (!out[0]->has_label()) return;
    float* const labels = FloatsOf(&out[0]->label);
    Offer(ctx, Bridge::kLabels, *labels_, FloatsOf(&in[0]->label), labels);
    Take(ctx, Bridge::kLabels, *labels_, labels);
  }

  // If each reader has computed a part of the gradient, the parts are added up in the order of the
  // workers.
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (!in[0]->wants_grad) return;
    float *const dx = in[0]->grad.data(), *const dy = out[0]->grad.data();
    const int me = bridge_.worker, parts = bridge_.to.Copies(bridge_.workers);
    for (int piece = 0; piece < regions_.count(); ++piece) {
      ExchangeOf(ctx).AwaitTaken(TagOf(Bridge::kFeature, piece));
      for (int of = 0; of < bridge_.workers; ++of) {
        if (!bridge_.GivesGradient(of, me)) continue;
        const bool add = bridge_.sums && of % parts > 0;
        const Region to = regions_.InSource(dx, me, of, piece);
        if (of == me)
          MoveRegion(ctx, regions_.InEnd(dy, me, me, piece), to, add);
        else if (to.floats() > 0)
          ExchangeOf(ctx).Take(ctx, TagOf(Bridge::kGradient, piece), of, to, add);
      }
    }
    for (int piece = 0; piece < regions_.count(); ++piece)
      ExchangeOf(ctx).AwaitTaken(TagOf(Bridge::kGradient, piece));
  }

  const BridgeRegions& regions() const { return regions_; }
  // The labels that cross the bridge, if any do.
  const std::optional<BridgeRegions>& labels() const { return labels_; }
  int TagOf(Bridge::Transfer transfer, int piece) const {
    return bridge_.TagOf(transfer, step_, piece);
  }

 private:
  // Labels are moved as they are: numbers of the size of a float.
  static float* FloatsOf(Tensor* labels) {
    static_assert(sizeof(int32_t) == sizeof(float));
    return reinterpret_cast<float*>(labels->as<int32_t>());
  }

  // Copies the worker's own region from `x` to `y`, and offers the other workers theirs.
  void Offer(Context& ctx, Bridge::Transfer transfer, const BridgeRegions& regions, float* x,
             float* y) const {
    const int me = bridge_.worker;
    for (int piece = 0; piece < regions.count(); ++piece) {
      MoveRegion(ctx, regions.InSource(x, me, me, piece), regions.InEnd(y, me, me, piece), false);
      for (int to = 0; to < bridge_.workers; ++to) {
        if (to == me || !bridge_.GivesFeature(me, to)) continue;
        const Region region = regions.InSource(x, me, to, piece);
        if (region.floats() > 0) ExchangeOf(ctx).Offer(ctx, TagOf(transfer, piece), to, region);
      }
      ExchangeOf(ctx).EndOffers(ctx, TagOf(transfer, piece));
    }
  }
  // Copies what the others offer to `y`, and waits until they have taken what this worker offers.
  void Take(Context& ctx, Bridge::Transfer transfer, const BridgeRegions& regions, float* y) const {
    for (int piece = 0; piece < regions.count(); ++piece)
      for (int from = 0; from < bridge_.workers; ++from) {
        if (from == bridge_.worker || !bridge_.GivesFeature(from, bridge_.worker)) continue;
        const Region region = regions.InEnd(y, from, bridge_.worker, piece);
        if (region.floats() > 0)
          ExchangeOf(ctx).Take(ctx, TagOf(transfer, piece), from, region, false);
      }
    for (int piece = 0; piece < regions.count(); ++piece)
      ExchangeOf(ctx).AwaitTaken(TagOf(transfer, piece));
  }

  void CheckRows(const Port& in) const {
    if (bridge_.from.pieces) return;  // kConcate has judged its sources
    const RowSpan& span = in.span;
    const int part = bridge_.from.RowPart(bridge_.worker, bridge_.workers);
    if (HasItsPart(in, {part, bridge_.from.rows})) return;
    const auto [field, what] = Refusal();
    throw ConfigError(
        field, StrCat(what,
                      ": the workers' rows of the source are not equal parts of the batch, one "
                      "worker has ",
                      span.rows, " of ", span.batch));
  }

  // Returns the field of the reader that needs the bridge, and the text of an error.
  std::pair<const char*, const char*> Refusal() const {
    if (bridge_.to.pieces) return {"slice_conf.slice_dim", "must be > 0"};
    if (bridge_.labels) return {"type", "writes the rows of all workers"};
    if (bridge_.to_grid) return {"partition_grid", "must not be set"};
    return {"partition_dim", "must be 0"};
  }

  void CheckUnits() const {
    if (regions_.units() >= bridge_.to.units) return;
    const std::string units = StrCat("the source has ", Counted(regions_.units(), "unit"));
    if (bridge_.to_grid)
      throw ConfigError("partition_grid.units", StrCat("must be from 1 to ", regions_.units(), ": ",
                                                       units, ", is ", bridge_.to.units));
    throw ConfigError("partition_dim", StrCat("must be 0: ", units, " for ", bridge_.to.units,
                                              " workers of the group"));
  }

  void CheckPieces() const {
    const std::vector<int64_t>& pieces = regions_.pieces();
    const int64_t rows = std::reduce(pieces.begin(), pieces.end());
    if (std::ranges::min(pieces) >= bridge_.workers) return;
    throw ConfigError("slice_conf.num_slices",
                      StrCat("must be from 1 to ", rows / bridge_.workers, ", so that each of the ",
                             bridge_.workers, " workers of the group has a row of each slice of ",
                             rows, " rows, is ", pieces.size()));
  }

  void SetOutput(const Port& in, Port* out) const {
    const BridgeRegions::Box box = regions_.BoxOf(bridge_.to, bridge_.worker);
    Shape shape = in.data.shape();
    shape.Set(0, box.all * in.span.steps);
    if (shape.dims() > 1) shape.Set(1, box.units.second);
    out->data.SetShape(shape);
    if (labels_) out->label.SetShape({box.all * in.span.steps}, DType::kI32);
    out->span = in.span;
    out->span.first = in.span.group_first + box.rows.first;
    out->span.rows = box.all;
    out->units = {box.units.first, box.units.second, regions_.units()};
    if (HasPieces(bridge_)) out->pieces = regions_.pieces();
  }

  const Bridge bridge_;
  int step_ = 0;
  BridgeRegions regions_;
  std::optional<BridgeRegions> labels_;
};

// Its output has the memory of its input, and the gradients of both are one, too, where the memory
// plan allows it.
class BridgeEnd final : public Layer {
 public:
  explicit BridgeEnd(const Bridge& bridge) : bridge_(bridge) {}

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    step_ = conf.unroll_index();
    out[0]->data.SetShape(in[0]->data.shape());
    out[0]->span = in[0]->span;
    out[0]->units = in[0]->units;
    out[0]->label.SetShape(in[0]->label.shape(), DType::kI32);
    if (bridge_.to.pieces) out[0]->pieces = in[0]->pieces;
    // The regions are the same seen from the end, if its layout and the source's change places.
    Bridge back = bridge_;
    std::swap(back.from, back.to);
    back_ = BridgeRegions(back, *in[0]);
  }

  Traits traits() const override { return {.in_place_with = 0, .on_device = bridge_.on_device}; }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    float* const y = out[0]->data.data();
    CopyBytes(ctx, in[0]->data.data(), y, out[0]->data.bytes());
    if (in[0]->has_label())
      CopyBytes(ctx, in[0]->label.as<int32_t>(), out[0]->label.as<int32_t>(),
                out[0]->label.bytes());
    if (!in[0]->wants_grad) return;  // the source has taken all regions
    for (int piece = 0; piece < back_.count(); ++piece)
      EachOther(y, piece, [&](int from, const Region& region) {
        if (bridge_.GivesFeature(from, bridge_.worker))
          ExchangeOf(ctx).Take(ctx, TagOf(Bridge::kFeature, piece), from, region, false);
      });
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (!in[0]->wants_grad) return;
    float* const dy = in[0]->grad.data();
    CopyBytes(ctx, out[0]->grad.data(), dy, in[0]->grad.bytes());
    for (int piece = 0; piece < back_.count(); ++piece) {
      const int tag = TagOf(Bridge::kGradient, piece);
      EachOther(dy, piece, [&](int to, const Region& region) {
        if (bridge_.GivesGradient(bridge_.worker, to)) ExchangeOf(ctx).Offer(ctx, tag, to, region);
      });
      ExchangeOf(ctx).EndOffers(ctx, tag);
    }
  }

 private:
  int TagOf(Bridge::Transfer transfer, int piece) const {
    return bridge_.TagOf(transfer, step_, piece);
  }
  // Calls `move` for the region of the piece that each other worker has at the source.
  template <typename Move>
  void EachOther(float* data, int piece, const Move& move) {
    for (int other = 0; other < bridge_.workers; ++other) {
      const Region region = back_.InSource(data, bridge_.worker, other, piece);
      if (other != bridge_.worker && region.floats() > 0) move(other, region);
    }
  }

  const Bridge bridge_;
  int step_ = 0;
  BridgeRegions back_;
};

// The layer of a kBridgeSrc or kBridgeDst that a conf names: always an error.
class BridgeByHand final : public Layer {
 public:
  void Setup(const LayerProto&, Declare&, Inputs, Outputs) override {
    throw ConfigError("type", "is made by the partition of a net, not by hand");
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};

SINGA_REGISTER_LAYER(kBridgeSrc, BridgeByHand);
SINGA_REGISTER_LAYER(kBridgeDst, BridgeByHand);

}  // namespace

std::unique_ptr<Layer> NewBridgeSource(const Bridge& bridge) {
  return std::make_unique<BridgeSource>(bridge);
}

std::unique_ptr<Layer> NewBridgeEnd(const Bridge& bridge) {
  return std::make_unique<BridgeEnd>(bridge);
}

RegionSizes SizesOfBridges(const std::deque<NetNode>& nodes, int workers) {
  struct Transfer {
    std::optional<BridgeRegions> regions = {};  // none: the tag has no regions
    int piece = 0;
    bool back = false;  // from the end to the source

    int64_t Floats(int from, int to) const {
      if (!regions) return 0;
      const Bridge& bridge = regions->bridge();
      if (back) return bridge.GivesGradient(from, to) ? regions->Floats(to, from, piece) : 0;
      return bridge.GivesFeature(from, to) ? regions->Floats(from, to, piece) : 0;
    }
  };
  const auto by_tag = std::make_shared<std::vector<Transfer>>();
  RegionSizes sizes{.workers = workers};
  for (const NetNode& node : nodes)
    if (const auto* bridge = dynamic_cast<const BridgeSource*>(node.layer.get())) {
      const BridgeRegions& regions = bridge->regions();
      by_tag->resize(
          std::max<size_t>(by_tag->size(), bridge->TagOf(Bridge::kFeature, regions.count())));
      for (int piece = 0; piece < regions.count(); ++piece) {
        const auto tag = [&](Bridge::Transfer transfer) -> Transfer& {
          return (*by_tag)[bridge->TagOf(transfer, piece)];
        };
        tag(Bridge::kFeature) = {regions, piece};
        if (node.runs_backward) tag(Bridge::kGradient) = {regions, piece, true};
        tag(Bridge::kLabels) = {bridge->labels(), piece};
      }
      sizes.most = std::max(sizes.most, regions.whole());
    }
  sizes.tags = static_cast<int>(by_tag->size());
  sizes.floats = [by_tag](int tag, int from, int to) { return (*by_tag)[tag].Floats(from, to); };
  return sizes;
}

}  // namespace singa
