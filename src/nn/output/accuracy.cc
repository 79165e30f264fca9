// kAccuracy has the sources scores and labels. Its metric "accuracy" is the share of rows whose
// label is among the topk best scores, without rows of ignore_label. Its feature holds the indices
// of the topk best scores, best first.
#include "nn/loss/labels.h"
#include "nn/output/ranked_rows.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class AccuracyLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .reads_scores = true, .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 2);
    name_ = conf.name();
    RequireLabels(conf, in, FlatRows(in[0]->data.shape()).rows());
    rows_.Setup(conf, declare, *in[0], out[0]);
    ignored_ = IgnoredLabelOf(conf.argsort_conf());
    declare.Uses(CountTopK);
    accuracy_ = declare.Metric("accuracy");
  }

  Traits traits() const override { return {.on_device = true, .checks = 1u << 1}; }

  void CheckInputs(Phase phase, Inputs in) override {
    if (!(phase & kDeploy)) CheckLabels(name_, *in[1], rows_.row_size(), ignored_);
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const float* scores = rows_.Rank(ctx, *in[0], out[0]);
    if (!(phase & kDeploy))
      CountTopK(ctx, scores, in[1]->label.as<int32_t>(), ignored_, accuracy_->cell.as<double>(),
                rows_.rows(), rows_.row_size(), rows_.topk());
  }

 private:
  std::string name_;
  RankedRows rows_;
  int64_t ignored_ = kNoneIgnored;
  Metric* accuracy_ = nullptr;
};

SINGA_REGISTER_LAYER(kAccuracy, AccuracyLayer);

}  // namespace
}  // namespace singa
