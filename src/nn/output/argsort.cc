// kArgSort gives the indices of the topk largest numbers of each row, largest number first; of
// equal numbers the larger index comes first. Its feature has the shape (rows, topk) and whole
// numbers.
#include "nn/output/ranked_rows.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class ArgSortLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    rows_.Setup(conf, declare, *in[0], out[0]);
  }

  Traits traits() const override { return {.on_device = true, .needs_no_reader = true}; }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    rows_.Rank(ctx, *in[0], out[0]);
  }

 private:
  RankedRows rows_;
};
SINGA_REGISTER_LAYER(kArgSort, ArgSortLayer);

}  // namespace
}  // namespace singa
