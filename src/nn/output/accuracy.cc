// kAccuracy: sources scores and labels; metric "accuracy", the share of rows whose label is among
// the topk best scores. Its feature: the indices of these, best first.
#include "math/top_k.h"
#include "nn/loss/labels.h"
#include "nn/neuron/flat_rows.h"
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
    flat_ = FlatRows(in[0]->data.shape());
    RequireLabels(conf, in, flat_.rows());
    RequireExactIndices(flat_.row_size());
    topk_ = conf.argsort_conf().topk();
    if (topk_ < 1 || topk_ > flat_.row_size())
      throw ConfigError("argsort_conf.topk",
                        StrCat("must be in [1, ", flat_.row_size(), "], is ", topk_));
    accuracy_ = declare.Metric("accuracy");
    if (!flat_.in_order()) declare.Scratch(in[0]->data.bytes());
    out[0]->data.SetShape({flat_.rows(), topk_});
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t n = flat_.rows(), d = flat_.row_size();
    const float* score = in[0]->data.data();
    if (!flat_.in_order()) {
      auto* flat_score = static_cast<float*>(ctx.scratch);
      flat_.FromStored(ctx, score, flat_score);
      score = flat_score;
    }
    TopK(ctx, score, out[0]->data.data(), n, d, topk_);
    if (phase & kDeploy) return;
    CheckLabels(name_, *in[1], d);
    double hits = 0;
    CountTopK(ctx, score, in[1]->label.as<int32_t>(), &hits, n, d, topk_);
    accuracy_->Add(hits, static_cast<double>(n));
  }

 private:
  std::string name_;
  FlatRows flat_;
  int64_t topk_ = 1;
  Metric* accuracy_ = nullptr;
};

SINGA_REGISTER_LAYER(kAccuracy, AccuracyLayer);

}  // namespace
}  // namespace singa
