#include "train/local_exchange.h"

#include <glog/logging.h>

#include <cmath>

#include "math/finite.h"
#include "singa/base/error.h"

namespace singa {

LocalExchange::LocalExchange(const JobProto& job, Context* ctx)
    : ctx_(ctx),
      weight_decay_(job.updater().weight_decay()),
      clip_norm_(job.updater().clip_norm()),
      skip_(job.on_nonfinite() == JobProto::kSkip),
      defer_(skip_ || clip_norm_ > 0) {
  try {
    updater_ = MakeUpdater(job.updater());
    try {
      learning_rate_ = MakeLearningRate(job.updater().learning_rate());
    } catch (const ConfigError& error) {
      throw error.Under("learning_rate");
    }
  } catch (const ConfigError& error) {
    throw error.Under("updater");
  }
}

void LocalExchange::AddParam(const Param* param) {
  UpdaterState& state = states_[param];
  state.names = updater_->states();
  for (size_t i = 0; i < state.names.size(); ++i)
    state.tensors.push_back(Tensor::Allocate(param->shape()));
}

void LocalExchange::GradientReady(Param* param, int64_t step) {
  if (!CheckFinite(*param, step)) drop_ = true;
  if (defer_)
    ready_.push_back(param);
  else
    Apply(param, step);
}

bool LocalExchange::CheckFinite(const Param& param, int64_t step) {
  if (AllFinite(*ctx_, param.grad.data(), param.size())) return true;
  const std::string text = StrCat("step ", step, ": the gradient of param \"", param.name(),
                                  "\" of layer \"", param.layer(), "\" is not finite");
  if (!skip_) throw DivergedError(text + "; nothing of it was applied");
  LOG(WARNING) << text << "; the step is skipped";
  return false;
}

void LocalExchange::LossNotFinite(const std::string& layer, int64_t step) {
  const std::string text =
      StrCat("step ", step, ": the loss of layer \"", layer, "\" is not finite");
  if (!skip_) throw DivergedError(text);
  LOG(WARNING) << text << "; the step is skipped";
  drop_ = true;
}

// Pascanu et al., "On the difficulty of training recurrent neural networks" (2013): all gradients
// of a step times clip_norm / norm where the norm of all is larger.
void LocalExchange::ClipByNorm() {
  double squares = 0;
  for (const Param* param : ready_)
    squares += SumOfSquares(*ctx_, param->grad.data(), param->size());
  const double norm = std::sqrt(squares);
  if (norm <= clip_norm_) return;
  const float scale = static_cast<float>(clip_norm_ / norm);
  for (Param* param : ready_)
    for (int64_t i = 0; i < param->size(); ++i) param->grad.data()[i] *= scale;
}

void LocalExchange::Finish(int64_t step) {
  if (drop_) {
    ++skipped_;
  } else if (defer_) {
    if (clip_norm_ > 0) ClipByNorm();
    for (Param* param : ready_) Apply(param, step);
  }
  ready_.clear();
  drop_ = false;
}

void LocalExchange::Apply(Param* param, int64_t step) {
  UpdaterState& state = states_.at(param);
  constexpr size_t kMaxStates = 8;
  CHECK_LE(state.tensors.size(), kMaxStates);
  float* pointers[kMaxStates];
  for (size_t i = 0; i < state.tensors.size(); ++i) pointers[i] = state.tensors[i].data();
  UpdateStep update;
  update.count = ++state.count;
  update.lr = learning_rate_->At(step) * param->conf().lr_scale();
  update.weight_decay = weight_decay_ * param->conf().wd_scale();
  updater_->Update(*ctx_, update, param->data.data(), param->grad.data(),
                   {pointers, state.tensors.size()}, param->size());
}

}  // namespace singa
