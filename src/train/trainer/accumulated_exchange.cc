#include "train/trainer/accumulated_exchange.h"

#include "nn/loss/scale_gradient.h"

namespace singa {

AccumulatedExchange::AccumulatedExchange(Net* net, Context* ctx) : ctx_(*ctx) {
  for (const NetNode& node : net->nodes())
    for (const Param* param : node.completes) nodes_[param] = &node;
}

void AccumulatedExchange::BeginBatch(ParamExchange* to) {
  to_ = to;
  any_gradient_ = false;
  if (first()) dropped_ = false;
}

void AccumulatedExchange::Await(Param* param, int64_t step) {
  if (first()) to_->Await(param, step);
}

void AccumulatedExchange::GradientReady(Param* param, int64_t step) {
  any_gradient_ = true;
  if (!last()) return;
  Context own = nodes_.at(param)->ContextOf(ctx_);
  ScaleGradient(own, param->grad.data(), param->grad.size(),
                1.f / static_cast<float>(ctx_.state->batches), nullptr);
  to_->GradientReady(param, step);
}

void AccumulatedExchange::LossNotFinite(const std::string& layer, int64_t step) {
  to_->LossNotFinite(layer, step);
}

// A batch that ends without gradients has dropped the step, if anything trains: all workers of the
// group agree on it, also those whose losses are finite.
void AccumulatedExchange::Finish(int64_t step) {
  dropped_ = !any_gradient_ && !nodes_.empty();
  if (dropped_ || last()) to_->Finish(step);
}

}  // namespace singa
