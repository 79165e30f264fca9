#include "train/reduce/local_exchange.h"

#include <algorithm>

#include "base/thread/activity_mark.h"

namespace singa {
namespace {

int64_t RowSize(const Param& param) { return param.size() / param.shape()[0]; }

}  // namespace

// With memory of other processes it is a worker's part of the ring.
int64_t LocalExchange::room_bytes() const {
  const int64_t pieces =
      group_->spans_processes() ? SharedCounters::kSlots : group_->piece_slots() * ctx_->threads;
  return pieces * SliceTable::kMost * static_cast<int64_t>(sizeof(float));
}

// The room that two workers of one process have.
int64_t LocalExchange::least_bytes() const {
  const int64_t pieces = std::min(group_->group(), 2) * std::max(1, ctx_->threads);
  return pieces * SliceTable::kMost * static_cast<int64_t>(sizeof(float));
}

bool LocalExchange::WantsPieces(const NetNode& node, const Param& param) const {
  const auto& able = node.in_pieces;
  return std::find(able.begin(), able.end(), &param) != able.end() &&
         param.data.bytes() > least_bytes() &&
         RowSize(param) <= SliceTable::kMost / SliceTable::kLeastRows;
}

void LocalExchange::Bind(const std::vector<Param*>& params, const std::vector<bool>& in_pieces) {
  std::vector<float*> gradients;
  for (size_t i = 0; i < params.size(); ++i) {
    Param* const param = params[i];
    places_[param] = static_cast<int>(i);
    if (in_pieces[i]) {
      if (!group_->spans_processes()) room_.resize(room_bytes() / sizeof(float));
      param->sink = this;
    } else if (param->grad.empty()) {  // else it is shared
      param->grad = Tensor::Allocate(param->shape());
    }
    gradients.push_back(in_pieces[i] ? nullptr : param->grad.data());
  }
  group_->SetGradients(worker_, std::move(gradients));
  group_->SetMark(worker_, ctx_->mark);
}

void LocalExchange::Await(Param* param, int64_t step) {
  const auto place = places_.find(param);
  const ActivityMark::Scope waits(ctx_->mark, Activity::kAwaitsServers);
  if (place != places_.end()) group_->updates().Await(place->second, step);
}

void LocalExchange::Take(Param* param, const GradientRows& rows) {
  group_->TakePieces(*ctx_, worker_, places_.at(param), RowSize(*param), rows, room_);
  group_->updates().Check();
}

void LocalExchange::GradientReady(Param* param, int64_t step) {
  if (param->sink) return;
  if (ctx_->mark) ctx_->mark->Set(Activity::kUpdating);
  group_->Offer(places_.at(param));
  group_->AddOffered(*ctx_, step);
  group_->updates().Check();
}

void LocalExchange::LossNotFinite(const std::string& layer, int64_t step) {
  group_->updates().LossNotFinite(layer, step);
}

void LocalExchange::Finish(int64_t step) {
  if (ctx_->mark) ctx_->mark->Set(Activity::kUpdating);
  group_->Finish(*ctx_, worker_, step);
  group_->updates().Check();
}

}  // namespace singa
