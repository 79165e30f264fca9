// kBridgeSrc, kBridgeDst: the two ends of an edge between workers. They carry shapes in a plan;
// moving data needs a cluster, and a group of several workers runs as one until there is one.
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
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override { Refuse(); }
  void ComputeGradient(Context&, Inputs, Outputs) override { Refuse(); }

 private:
  [[noreturn]] static void Refuse() {
    throw ConfigError("cluster.nworkers_per_group",
                      "a net over several workers is not built yet; allowed: plans of one");
  }
};

SINGA_REGISTER_LAYER(kBridgeSrc, BridgeLayer);
SINGA_REGISTER_LAYER(kBridgeDst, BridgeLayer);

}  // namespace
}  // namespace singa
