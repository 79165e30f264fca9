// kAccuracy: sources scores and labels; metric "accuracy", the share of rows whose label is among
// the topk best scores, but those of ignore_label. Its feature: the indices of these, best first.
#include "nn/loss/labels.h"
#include "nn/output/ranked_rows.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class AccuracyLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .differentiable = false, .dependency = Dependency::kOneToAll};
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

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const float* scores = rows_.Rank(ctx, *in[0], out[0]);
    if (phase & kDeploy) return;
    const int64_t d = rows_.row_size();
    CheckLabels(name_, *in[1], d, ignored_);
    const int32_t* label = in[1]->label.as<int32_t>();
    double hits = 0;
    const int64_t counted =
        ForCountedRows(label, rows_.rows(), ignored_, [&](int64_t r, int64_t rows) {
          CountTopK(ctx, scores + r * d, label + r, &hits, rows, d, rows_.topk());
        });
    accuracy_->Add(hits, static_cast<double>(counted));
  }

 private:
  std::string name_;
  RankedRows rows_;
  IgnoredLabel ignored_;
  Metric* accuracy_ = nullptr;
};

SINGA_REGISTER_LAYER(kAccuracy, AccuracyLayer);

}  // namespace
}  // namespace singa
