#include "nn/neuron/lrn.h"

#include <cmath>

#include "singa/nn/layer.h"

namespace singa {
namespace {

constexpr int64_t kMostChannels = 65535;

class LrnLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const LRNProto& lrn = conf.lrn_conf();
    desc_ = {ImageShape::Of(in[0]->data.shape()), lrn.local_size(), lrn.alpha(), lrn.beta(),
             lrn.knorm()};
    if (desc_.size < 1 || desc_.size % 2 == 0 || desc_.size > kMostChannels)
      throw ConfigError("lrn_conf.local_size",
                        StrCat("must be odd and from 1 to ", kMostChannels, ", is ", desc_.size));
    CheckNumber("alpha", desc_.alpha, desc_.alpha >= 0, ">= 0");
    CheckNumber("beta", desc_.beta, desc_.beta >= 0, ">= 0");
    CheckNumber("knorm", desc_.knorm, desc_.knorm > 0, "> 0");
    out[0]->data.SetShape(in[0]->data.shape());
  }

  Traits traits() const override { return {.grad_reads_in = true, .on_device = true}; }

  void Prepare(Context& ctx, Declare& declare, Inputs, Outputs) override {
    plan_ = MakeLrn.Make(ctx, desc_);
    declare.Scratch(plan_->scratch_bytes());
    if (plan_->kept_bytes() > 0)
      kept_ = declare.Buffer({plan_->kept_bytes()}, Keep::kForwardToBackward, DType::kU8);
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    RunInOrder(ctx, [plan = plan_.get(), x = in[0]->data.data(), y = out[0]->data.data(),
                     kept = kept()](Context& own) { plan->Forward(own, x, y, kept); });
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    RunInOrder(ctx,
               [plan = plan_.get(), x = in[0]->data.data(), dy = out[0]->grad.data(), kept = kept(),
                dx = in[0]->grad.data()](Context& own) { plan->Backward(own, x, dy, kept, dx); });
  }

 private:
  static void CheckNumber(const char* field, float value, bool right, const char* range) {
    if (!right || !std::isfinite(value))
      throw ConfigError(StrCat("lrn_conf.", field), StrCat("must be ", range, ", is ", value));
  }

  void* kept() const { return kept_ ? kept_->as<uint8_t>() : nullptr; }

  LrnDesc desc_;
  std::unique_ptr<LrnPlan> plan_;
  Tensor* kept_ = nullptr;  // memory for the plan's `kept`; null: it keeps nothing
};

SINGA_REGISTER_LAYER(kLRN, LrnLayer);
SINGA_REGISTER_LAYER(kCudnnLRN, LrnLayer);

}  // namespace
}  // namespace singa
