// kSplit gives one feature to several readers. Data and labels are aliased; the gradient is the sum
// of the readers' gradients in their order.
#include "math/elementwise/elementwise.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

class SplitLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    return {.num_outputs = std::max(1, conf.split_conf().num_splits()), .row_wise = true};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    declare.Uses(AddTo);
    const int splits = conf.split_conf().num_splits();
    if (splits < 1) throw ConfigError("split_conf.num_splits", StrCat("must be >= 1, is ", splits));
    for (Port* port : out) {
      port->data.SetShape(in[0]->data.shape());
      port->label.SetShape(in[0]->label.shape(), DType::kI32);
      port->span = in[0]->span;
      port->units = in[0]->units;
      port->pieces = in[0]->pieces;
    }
  }

  Traits traits() const override { return {.aliases_in = true, .on_device = true}; }

  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    float* dx = in[0]->grad.data();
    const int64_t n = in[0]->grad.size();
    bool first = true;
    for (Port* port : out) {
      const float* dy = port->grad.data();
      if (port->grad.empty()) continue;
      if (first)
        CopyFloats(ctx, dy, dx, n);
      else
        AddTo(ctx, dy, dx, n);
      first = false;
    }
  }
};

SINGA_REGISTER_LAYER(kSplit, SplitLayer);

}  // namespace
}  // namespace singa
