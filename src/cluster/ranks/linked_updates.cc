#include "cluster/ranks/linked_updates.h"

#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/thread/counted_time.h"
#include "cluster/client/codec_state.h"
#include "cluster/protocol/worker_places.h"
#include "math/finite.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "train/apply/not_finite.h"

namespace singa {

void LinkedUpdates::StartExchange(BucketExchange::Setup setup) {
  exchange_ = std::make_unique<BucketExchange>(std::move(setup));
  if (setup_.aside) exchange_->Start();
}

void LinkedUpdates::ExchangeHere(int64_t step) {
  if (setup_.aside) return;
  exchange_->AwaitExchanged(step);
  setup_.link->AwaitSent();
}

void LinkedUpdates::Settle() {
  if (exchange_) AwaitAll(last_step_ + 1);
}

void LinkedUpdates::Fail(const std::exception_ptr& error) {
  if (exchange_) exchange_->Fail(error);
}

void LinkedUpdates::LossNotFinite(const std::string& layer, int64_t step, int worker) {
  const std::string text = LossNotFiniteText(layer, step, PlaceOf(setup_.topology, kGroup, worker));
  if (rule_.skips) return skip_reason_.Note(step, text);  // Finish finds that gradients are missing
  Fail(std::make_exception_ptr(DivergedError(text)));
  Check();
}

// With kSkip, Finish finds that the gradient is missing.
bool LinkedUpdates::CheckFinite(Context& ctx, int slice, int64_t step,
                                std::span<float* const> sums) {
  const int64_t size = table_[slice].size;
  if (std::ranges::all_of(sums, [&](const float* sum) { return AllFinite(ctx, sum, size); }))
    return true;
  const Param& param = setup_.replica->param(slice);
  const NotFiniteAt at = PlaceIn(setup_.topology, kGroup, NotFiniteWorker(ctx, slice), rank());
  const std::string text = GradientNotFiniteText(ParamText(param.name(), param.layer()), step, at);
  if (rule_.skips)
    skip_reason_.Note(step, text);
  else
    Fail(std::make_exception_ptr(DivergedError(text)));
  return false;
}

void LinkedUpdates::Await(int param, int64_t step) {
  const auto [first, last] = table_.OfParam(param);
  const CountedTime counts(&waited_);
  exchange_->AwaitFresh(first, last, step);
}

float LinkedUpdates::share() const {
  return static_cast<float>(setup_.topology.WorkersIn(rank(), kGroup)) /
         static_cast<float>(setup_.topology.workers_per_group());
}

std::string LinkedUpdates::PrefixOf(std::string_view kind) const {
  return StatePrefix(kind, setup_.topology, rank(), kGroup);
}

void LinkedUpdates::Skip(int64_t step, const LackingProcesses& lacking) {
  LOG(WARNING) << SkippedText(skip_reason_.Of(step, lacking.Text(0)));
  skipped_ = step;
  ++skips_;
  norm_ = std::nan("");
  exchange_->Drop(step);
}

}  // namespace singa
