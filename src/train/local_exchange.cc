#include "train/local_exchange.h"

#include <glog/logging.h>

#include <algorithm>
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

// A piece for each thread stays in its second-level cache with the values that it updates.
int64_t LocalExchange::room_bytes() const {
  return (int64_t{1} << 17) * ctx_->threads * static_cast<int64_t>(sizeof(float));
}

bool LocalExchange::WantsPieces(const NetNode& node, const Param& param) const {
  const auto& able = node.in_pieces;
  const int64_t bytes = param.data.bytes();
  return !defer_ && std::find(able.begin(), able.end(), &param) != able.end() &&
         bytes > room_bytes() && bytes / param.shape()[0] <= room_bytes() / kLeastRows;
}

void LocalExchange::AddParam(Param* param, bool in_pieces) {
  if (in_pieces) {
    room_.resize(room_bytes() / sizeof(float));
    param->sink = this;
  } else {
    param->grad = Tensor::Allocate(param->shape());
  }
  UpdaterState& state = states_[param];
  state.names = updater_->states();
  for (size_t i = 0; i < state.names.size(); ++i)
    state.tensors.push_back(Tensor::Allocate(param->shape()));
}

void LocalExchange::Take(Param* param, int64_t begin, int64_t size) {
  const int64_t step = ctx_->state->step;
  if (!AllFinite(*ctx_, room_.data(), size)) NotFinite(*param, step);
  Update(param, &states_.at(param), step, begin, room_.data(), size);
}

void LocalExchange::GradientReady(Param* param, int64_t step) {
  if (param->sink) {
    ++states_.at(param).count;
    return;
  }
  if (!defer_) return Apply(param, step, true);
  if (!AllFinite(*ctx_, param->grad.data(), param->size())) NotFinite(*param, step);
  ready_.push_back(param);
}

void LocalExchange::NotFinite(const Param& param, int64_t step) {
  Diverged(StrCat("step ", step, ": the gradient of param \"", param.name(), "\" of layer \"",
                  param.layer(), "\" is not finite"));
}

void LocalExchange::LossNotFinite(const std::string& layer, int64_t step) {
  Diverged(StrCat("step ", step, ": the loss of layer \"", layer, "\" is not finite"));
}

void LocalExchange::Diverged(const std::string& text) {
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
    for (Param* param : ready_) Apply(param, step, false);
  }
  ready_.clear();
  drop_ = false;
}

// Piece by piece, so that the gradient is still in the cache when the updater reads it again.
void LocalExchange::Apply(Param* param, int64_t step, bool check) {
  UpdaterState& state = states_.at(param);
  const int64_t piece = room_bytes() / static_cast<int64_t>(sizeof(float));
  for (int64_t begin = 0; begin < param->size(); begin += piece) {
    const int64_t size = std::min(piece, param->size() - begin);
    const float* grad = param->grad.data() + begin;
    if (check && !AllFinite(*ctx_, grad, size)) NotFinite(*param, step);
    Update(param, &state, step, begin, grad, size);
  }
  ++state.count;
}

// Elements [begin, begin + size) of `param`, by their gradient.
void LocalExchange::Update(Param* param, UpdaterState* state, int64_t step, int64_t begin,
                           const float* grad, int64_t size) {
  constexpr size_t kMaxStates = 8;
  CHECK_LE(state->tensors.size(), kMaxStates);
  UpdateStep update;
  update.count = state->count + 1;
  update.lr = learning_rate_->At(step) * param->conf().lr_scale();
  update.weight_decay = weight_decay_ * param->conf().wd_scale();
  float* states[kMaxStates];
  for (size_t i = 0; i < state->tensors.size(); ++i) states[i] = state->tensors[i].data() + begin;
  updater_->Update(*ctx_, update, param->data.data() + begin, grad, {states, state->tensors.size()},
                   size);
}

}  // namespace singa
