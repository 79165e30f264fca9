// AccumulatedExchange makes one step of several batches (JobProto.accumulate_steps): their
// gradients add up in Param::grad, and their mean is handed on with the last batch.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "singa/nn/net.h"
#include "singa/train/param_exchange.h"

namespace singa {

class AccumulatedExchange final : public ParamExchange {
 public:
  // `net` is what the algorithm trains, in the context `ctx`. Both must outlive it.
  AccumulatedExchange(Net* net, Context* ctx);

  // Begins batch ctx->state->batch of the step. Gradients go to `to`.
  void BeginBatch(ParamExchange* to);
  // Returns whether the net trains any param.
  bool trains() const { return !nodes_.empty(); }
  // Returns whether a batch of the step has dropped it.
  bool dropped() const { return dropped_; }

  void Await(Param* param, int64_t step) override;
  void GradientReady(Param* param, int64_t step) override;
  bool sees_losses() const override { return to_->sees_losses(); }
  bool may_drop_steps() const override { return to_->may_drop_steps(); }
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;

 private:
  bool first() const { return ctx_.state->batch == 0; }
  bool last() const { return ctx_.state->batch + 1 == ctx_.state->batches; }

  Context& ctx_;
  std::map<const Param*, const NetNode*> nodes_;  // by param: the node whose gradient is the last
  ParamExchange* to_ = nullptr;
  bool any_gradient_ = false;  // whether a gradient of this batch was announced
  bool dropped_ = false;
};

}  // namespace singa
