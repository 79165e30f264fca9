#include "nn/connection/bridge.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "nn/connection/bridge_regions.h"
#include "singa/base/error.h"

namespace singa {
namespace {

RegionExchange& ExchangeOf(const Context& ctx) { return *ctx.exchange; }

class BridgeSource final : public Layer {
 public:
  explicit BridgeSource(const Bridge& bridge) : bridge_(bridge) {}

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    step_ = conf.unroll_index();
    CheckRows(*in[0]);
    regions_ = BridgeRegions(bridge_, *in[0]);
    if (bridge_.to == Layout::kUnits && regions_.units() < bridge_.workers)
      throw ConfigError("partition_dim",
                        StrCat("must be 0: the source has ", regions_.units(), " units for ",
                               bridge_.workers, " workers of the group"));
    SetOutput(*in[0], out[0]);
  }

  Traits traits() const override { return {.grad_reads_in = true}; }

  // A step that the group drops ends after this: then nobody waits for what was offered. The group
  // has agreed on it after all had taken their regions.
  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    float *const x = in[0]->data.data(), *const y = out[0]->data.data();
    const int me = bridge_.worker;
    MoveRegion(ctx, regions_.InSource(x, me, me), regions_.InEnd(y, me, me), false);
    for (int to = 0; to < bridge_.workers; ++to)
      if (to != me) ExchangeOf(ctx).Offer(ctx, feature(), to, regions_.InSource(x, me, to));
    if (in[0]->wants_grad) return;
    // Without a backward pass the feature is not kept, so the others have to take it now.
    for (int from = 0; from < bridge_.workers; ++from)
      if (from != me)
        ExchangeOf(ctx).Take(ctx, feature(), from, regions_.InEnd(y, from, me), false);
    ExchangeOf(ctx).AwaitTaken(feature());
  }

  // If the readers have all rows and units, each has computed a part of the gradient, and the parts
  // are added up in the order of the workers.
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (!in[0]->wants_grad) return;
    ExchangeOf(ctx).AwaitTaken(feature());
    float *const dx = in[0]->grad.data(), *const dy = out[0]->grad.data();
    const int me = bridge_.worker;
    for (int of = 0; of < bridge_.workers; ++of) {
      const bool add = bridge_.to == Layout::kAll && of > 0;
      const Region to = regions_.InSource(dx, me, of);
      if (of == me)
        MoveRegion(ctx, regions_.InEnd(dy, me, me), to, add);
      else
        ExchangeOf(ctx).Take(ctx, gradient(), of, to, add);
    }
    ExchangeOf(ctx).AwaitTaken(gradient());
  }

  const BridgeRegions& regions() const { return regions_; }
  int feature() const { return bridge_.feature(step_); }
  int gradient() const { return bridge_.gradient(step_); }

 private:
  void CheckRows(const Port& in) const {
    const RowSpan& span = in.span;
    const std::pair<int64_t, int64_t> all{0, span.batch}, own{span.first, span.rows};
    const bool rows = bridge_.from == Layout::kRows;
    if (own == (rows ? PartOf(span.batch, bridge_.worker, bridge_.workers) : all) &&
        in.data.shape()[0] == span.rows * span.steps)
      return;
    throw ConfigError("partition_dim",
                      StrCat("must be 0: the workers' rows of the source are not equal parts of "
                             "the batch, one worker has ",
                             span.rows, " of ", span.batch));
  }

  void SetOutput(const Port& in, Port* out) const {
    const BridgeRegions::Box box = regions_.BoxOf(bridge_.to, bridge_.worker);
    Shape shape = in.data.shape();
    shape.Set(0, box.rows.second * in.span.steps);
    if (shape.dims() > 1) shape.Set(1, box.units.second);
    out->data.SetShape(shape);
    out->span = in.span;
    out->span.first = box.rows.first;
    out->span.rows = box.rows.second;
    out->units = {box.units.first, box.units.second, regions_.units()};
  }

  const Bridge bridge_;
  int step_ = 0;
  BridgeRegions regions_;
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
    // The regions are the same seen from the end, if its layout and the source's change places.
    Bridge back = bridge_;
    std::swap(back.from, back.to);
    back_ = BridgeRegions(back, *in[0]);
  }

  Traits traits() const override { return {.in_place_with = 0}; }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    float* const y = out[0]->data.data();
    if (y != in[0]->data.data()) std::memcpy(y, in[0]->data.data(), out[0]->data.bytes());
    if (!in[0]->wants_grad) return;  // the source has taken all regions
    for (int from = 0; from < bridge_.workers; ++from)
      if (from != bridge_.worker)
        ExchangeOf(ctx).Take(ctx, bridge_.feature(step_), from,
                             back_.InSource(y, bridge_.worker, from), false);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (!in[0]->wants_grad) return;
    float* const dy = in[0]->grad.data();
    if (dy != out[0]->grad.data()) std::memcpy(dy, out[0]->grad.data(), in[0]->grad.bytes());
    for (int to = 0; to < bridge_.workers; ++to)
      if (to != bridge_.worker)
        ExchangeOf(ctx).Offer(ctx, bridge_.gradient(step_), to,
                              back_.InSource(dy, bridge_.worker, to));
  }

 private:
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
    bool back = false;                          // from the end to the source
  };
  const auto by_tag = std::make_shared<std::vector<Transfer>>();
  RegionSizes sizes{.workers = workers};
  for (const NetNode& node : nodes)
    if (const auto* bridge = dynamic_cast<const BridgeSource*>(node.layer.get())) {
      by_tag->resize(std::max<size_t>(by_tag->size(), bridge->gradient() + 1));
      (*by_tag)[bridge->feature()] = {bridge->regions()};
      if (node.runs_backward) (*by_tag)[bridge->gradient()] = {bridge->regions(), true};
      sizes.most = std::max(sizes.most, bridge->regions().whole());
    }
  sizes.tags = static_cast<int>(by_tag->size());
  sizes.floats = [by_tag](int tag, int from, int to) -> int64_t {
    const Transfer& of_tag = (*by_tag)[tag];
    if (!of_tag.regions) return 0;
    return of_tag.back ? of_tag.regions->Floats(to, from) : of_tag.regions->Floats(from, to);
  };
  return sizes;
}

}  // namespace singa
