#include "nn/neuron/pooling.h"

#include "nn/neuron/pooling_window.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class PoolingLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .unit_cut = UnitCut::kEach};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const PoolingProto& pooling = conf.pooling_conf();
    desc_.in = ImageShape::Of(in[0]->data.shape());
    desc_.window = ReadPooling(pooling, "pooling_conf", desc_.in);
    const WindowSide &y = desc_.window.y, &x = desc_.window.x;
    const bool up = pooling.ceil_mode();
    desc_.out = {desc_.in.n, desc_.in.c, up ? y.CountUp(desc_.in.h) : y.Count(desc_.in.h),
                 up ? x.CountUp(desc_.in.w) : x.Count(desc_.in.w)};
    desc_.max = pooling.pool() == PoolingProto::MAX;
    out[0]->data.SetShape({desc_.out.n, desc_.out.c, desc_.out.h, desc_.out.w});
  }

  Traits traits() const override { return {.on_device = true, .keeps_constants = true}; }

  void Prepare(Context& ctx, Declare& declare, Inputs, Outputs) override {
    plan_ = MakePooling.Make(ctx, desc_);
    declare.Scratch(plan_->scratch_bytes());
    if (plan_->winner_bytes() > 0)
      winners_ = declare.Buffer({plan_->winner_bytes()}, Keep::kForwardToBackward, DType::kU8);
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    RunInOrder(ctx, [plan = plan_.get(), x = in[0]->data.data(), y = out[0]->data.data(),
                     winners = winners()](Context& own) { plan->Forward(own, x, y, winners); });
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    RunInOrder(ctx,
               [plan = plan_.get(), dy = out[0]->grad.data(), winners = winners(),
                dx = in[0]->grad.data()](Context& own) { plan->Backward(own, dy, winners, dx); });
  }

 private:
  void* winners() const { return winners_ ? winners_->as<uint8_t>() : nullptr; }

  PoolingDesc desc_;
  std::unique_ptr<PoolingPlan> plan_;
  Tensor* winners_ = nullptr;  // index in each window of its maximum; null for avg
};

SINGA_REGISTER_LAYER(kPooling, PoolingLayer);
SINGA_REGISTER_LAYER(kCPooling, PoolingLayer);
SINGA_REGISTER_LAYER(kCudnnPool, PoolingLayer);

}  // namespace
}  // namespace singa
