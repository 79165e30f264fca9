// kBridgeSrc and kBridgeDst are the two ends of an edge between workers of a net that is cut by
// units. They only carry shapes for a plan: nets that run are cut by rows and have no such edges.
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class BridgeLayer final : public Layer {
 public:
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    if (conf.num_partitions() < 2)
      throw ConfigError("type", "is made by the partition of a net, not by hand");
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
    out[0]->label.SetShape(in[0]->label.shape(), DType::kI32);
    out[0]->span = in[0]->span;
  }
  // A kBridgeSrc's only reader is another worker's kBridgeDst.
  Traits traits() const override { return {.needs_no_reader = true}; }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override { Refuse(); }
  void ComputeGradient(Context&, Inputs, Outputs) override { Refuse(); }

 private:
  [[noreturn]] static void Refuse() {
    throw ConfigError("partition_dim", "a net that is cut by units is planned, not run yet");
  }
};

SINGA_REGISTER_LAYER(kBridgeSrc, BridgeLayer);
SINGA_REGISTER_LAYER(kBridgeDst, BridgeLayer);

}  // namespace
}  // namespace singa
