#include "train/apply/replica_updates.h"

#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/thread/stopped.h"
#include "math/finite.h"
#include "math/parallel_slices.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Calls apply(ctx, s) for slices worker, worker + workers, ... Slices with elements for several
// threads are applied one after another, by all threads. The threads then share the other slices.
template <typename Apply>
void ForSlices(const Context& ctx, const SliceTable& table, int worker, int workers,
               const Apply& apply) {
  const auto is_large = [&](int s) { return table[s].size >= kParallelElements; };
  Context all = ctx, one = ctx;
  one.threads = 1;
  for (int s = worker; s < table.size(); s += workers)
    if (is_large(s)) apply(all, s);
#pragma omp parallel for schedule(dynamic) num_threads(std::max(1, ctx.threads)) firstprivate(one)
  for (int s = worker; s < table.size(); s += workers)
    if (!is_large(s)) apply(one, s);
}

}  // namespace

ReplicaUpdates::ReplicaUpdates(const JobProto& job, Replica* replica,
                               std::function<NotFiniteAt(int worker)> place_of)
    : replica_(*replica), place_of_(std::move(place_of)), rule_(job) {}

void ReplicaUpdates::Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) {
  CHECK_EQ(sums.size(), 1u) << "only servers get parts of a sum";
  float* const sum = sums[0];
  const SliceTable& table = replica_.table();
  if (!AllFinite(ctx, sum, table[slice].size)) {
    const Param& param = replica_.param(slice);
    const NotFiniteAt at = PlaceOfWorker(NotFiniteWorker(ctx, slice));
    return Fail(GradientNotFiniteText(ParamText(param.name(), param.layer()), step, at), step);
  }
  if (!needs_all()) return replica_.Apply(ctx, slice, step, sum);
  if (rule_.clip_norm > 0) squares_[slice] = SumOfSquares(ctx, sum, table[slice].size);
}

void ReplicaUpdates::LossNotFinite(const std::string& layer, int64_t step, int worker) {
  Fail(LossNotFiniteText(layer, step, PlaceOfWorker(worker)), step);
  Check();
}

// Reports only the first failure of a step.
void ReplicaUpdates::Fail(const std::string& text, int64_t step) {
  if (rule_.skips) {
    if (dropped_->exchange(1 + step) != 1 + step) LOG(WARNING) << SkippedText(text);
    return;
  }
  const MutexLock lock(&failure_lock_);
  if (failed_->exchange(1 + step) == 0) failure_ = text;
}

void ReplicaUpdates::Check() {
  if (*failed_ == 0) return;
  const MutexLock lock(&failure_lock_);
  if (*failed_ == 0) return;
  if (failure_.empty()) throw Stopped();
  own_failed_ = 0;  // a number that processes share stays
  throw DivergedError(std::exchange(failure_, ""));
}

void ReplicaUpdates::Attach(const SliceTable& table, const std::vector<Param*>& params) {
  if (replica_.table().size() == 0) replica_.Attach(table, params);
  if (!needs_all()) return;
  own_squares_.resize(replica_.table().size());
  squares_ = own_squares_;
}

void ReplicaUpdates::Share(const SharedVerdict& shared) {
  squares_ = shared.squares;
  dropped_ = shared.dropped;
  failed_ = shared.failed;
}

void ReplicaUpdates::Finish(Context& ctx, int64_t step, int worker, int workers,
                            std::span<float* const> sums) {
  if (!needs_all() || *failed_ != 0) return;
  if (*dropped_ == 1 + step) {
    skipped_ = step;
    if (worker > 0) return;
    ++skips_;
    norm_ = std::nan("");
    return;
  }
  double squares = 0;
  for (const double square : squares_) squares += square;
  if (worker == 0) norm_ = std::sqrt(squares);
  const float scale = rule_.Judge(squares).scale;
  const SliceTable& table = replica_.table();
  ForSlices(ctx, table, worker, workers, [&](Context& own, int s) {
    float* const sum = sums[s];
    if (!sum) return;  // no worker here has its rows: one worker's part is measured alone
    if (scale != 1)
      ParallelSlices(own, table[s].size, [&](int64_t begin, int64_t end) {
#pragma omp simd
        for (int64_t i = begin; i < end; ++i) sum[i] *= scale;
      });
    replica_.Apply(own, s, step, sum);
  });
}

}  // namespace singa
