// kArgSort: its feature is the indices of the topk largest numbers of each row, best first; of
// equal numbers the larger index first. Shape (rows, topk), whole numbers.
#include "math/top_k.h"
#include "nn/neuron/flat_rows.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class ArgSortLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .differentiable = false, .dependency = Dependency::kOneToAll};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    flat_ = FlatRows(in[0]->data.shape());
    topk_ = conf.argsort_conf().topk();
    if (topk_ < 1 || topk_ > flat_.row_size())
      throw ConfigError("argsort_conf.topk",
                        StrCat("must be in [1, ", flat_.row_size(), "], is ", topk_));
    if (!flat_.in_order()) declare.Scratch(in[0]->data.bytes());
    out[0]->data.SetShape({flat_.rows(), topk_});
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    const float* x = in[0]->data.data();
    if (!flat_.in_order()) {
      auto* flat_x = static_cast<float*>(ctx.scratch);
      flat_.FromStored(ctx, x, flat_x);
      x = flat_x;
    }
    TopK(ctx, x, out[0]->data.data(), flat_.rows(), flat_.row_size(), topk_);
  }

 private:
  FlatRows flat_;
  int64_t topk_ = 1;
};
SINGA_REGISTER_LAYER(kArgSort, ArgSortLayer);

}  // namespace
}  // namespace singa
