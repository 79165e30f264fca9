#include "train/local_exchange.h"

#include <glog/logging.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "math/finite.h"
#include "math/parallel_slices.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kPiece = 1 << 17;  // floats: with the values it changes in a second-level cache
constexpr int64_t kLeastRows = 16;   // a gemm is fastest at multiples of it

int64_t RowSize(const Param& param) { return param.size() / param.shape()[0]; }

}  // namespace

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

int64_t LocalExchange::room_bytes() const {
  return kPiece * ctx_->threads * static_cast<int64_t>(sizeof(float));
}

bool LocalExchange::WantsPieces(const NetNode& node, const Param& param) const {
  const auto& able = node.in_pieces;
  return !defer_ && std::find(able.begin(), able.end(), &param) != able.end() &&
         param.data.bytes() > room_bytes() && RowSize(param) <= kPiece / kLeastRows;
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

// Each thread computes and applies pieces of its own rows: none waits for another in between.
void LocalExchange::Take(Param* param, const GradientRows& rows) {
  const int64_t columns = RowSize(*param), most = kPiece / columns / kLeastRows * kLeastRows;
  const int64_t step = ctx_->state->step;
  std::atomic<bool> finite{true};
  const auto work = [&](int64_t begin, int64_t end, int64_t slice) {
    Context own = *ctx_;
    own.threads = 1;
    if (slice > 0) own.trace = nullptr;
    float* const piece = room_.data() + slice * kPiece;
    for (int64_t i = begin; i < end && finite; i += most * columns) {
      const int64_t size = std::min(most * columns, end - i);
      rows(own, i / columns, size / columns, piece);
      if (AllFinite(own, piece, size))
        Update(&own, param, step, i, piece, size);
      else
        finite = false;
    }
  };
  ParallelSlices(*ctx_, param->size(), kLeastRows * columns, work);
  if (!finite) NotFinite(*param, step);
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
  const int64_t piece = room_bytes() / static_cast<int64_t>(sizeof(float));
  for (int64_t begin = 0; begin < param->size(); begin += piece) {
    const int64_t size = std::min(piece, param->size() - begin);
    const float* grad = param->grad.data() + begin;
    if (check && !AllFinite(*ctx_, grad, size)) NotFinite(*param, step);
    Update(ctx_, param, step, begin, grad, size);
  }
  ++states_.at(param).count;
}

// Elements [begin, begin + size) of `param`, by their gradient.
void LocalExchange::Update(Context* ctx, Param* param, int64_t step, int64_t begin,
                           const float* grad, int64_t size) {
  constexpr size_t kMaxStates = 8;
  UpdaterState& state = states_.at(param);
  CHECK_LE(state.tensors.size(), kMaxStates);
  UpdateStep update;
  update.count = state.count + 1;
  update.lr = learning_rate_->At(step) * param->conf().lr_scale();
  update.weight_decay = weight_decay_ * param->conf().wd_scale();
  float* states[kMaxStates];
  for (size_t i = 0; i < state.tensors.size(); ++i) states[i] = state.tensors[i].data() + begin;
  updater_->Update(*ctx, update, param->data.data() + begin, grad, {states, state.tensors.size()},
                   size);
}

}  // namespace singa
