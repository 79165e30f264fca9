// kAccuracy has the sources scores and labels. Its metric "accuracy" is the share of rows whose
// label is among the topk best scores, without rows of ignore_label. If the conf asks for them,
// metrics accuracy_<class> of a net that tests are the accuracies of the classes. Its feature holds
// the indices of the topk best scores, best first.
#include "nn/feature/labels.h"
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
    of_classes_ = AccuracyOfClasses("argsort_conf", conf.argsort_conf(), rows_.row_size(), declare);
  }

  Traits traits() const override { return {.on_device = true, .checks = 1u << 1}; }

  void CheckInputs(Phase phase, Inputs in) override {
    if (!(phase & kDeploy)) CheckLabels(name_, *in[1], rows_.row_size(), ignored_);
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const float* scores = rows_.Rank(ctx, *in[0], out[0]);
    if (phase & kDeploy) return;
    const int32_t* label = in[1]->label.as<int32_t>();
    const int64_t n = rows_.rows(), d = rows_.row_size(), k = rows_.topk();
    CountTopK(ctx, scores, label, ignored_, accuracy_->cell.as<double>(), n, d, k);
    if (of_classes_)
      CountTopKOfClasses(ctx, scores, label, ignored_, of_classes_->cell.as<double>(), n, d, k);
  }

 private:
  std::string name_;
  RankedRows rows_;
  int64_t ignored_ = kNoneIgnored;
  Metric* accuracy_ = nullptr;
  Metric* of_classes_ = nullptr;  // null: the conf does not ask for them, or the net trains
};

SINGA_REGISTER_LAYER(kAccuracy, AccuracyLayer);

}  // namespace
}  // namespace singa
