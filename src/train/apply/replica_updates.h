// ReplicaUpdates applies one worker group's gradients to a replica in this process's memory.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/thread/mutex.h"
#include "train/apply/not_finite.h"
#include "train/apply/replica.h"
#include "train/apply/slice_updates.h"
#include "train/apply/step_rule.h"

namespace singa {

// The numbers by which all processes with workers of a group judge a step.
struct SharedVerdict {
  std::span<double> squares;                // by slice: the sum of squares of its gradient
  std::atomic<int64_t>* dropped = nullptr;  // 1 + the last step that was dropped; 0: none
  std::atomic<int64_t>* failed = nullptr;   // 1 + the step that cannot be taken; 0: none
};

class ReplicaUpdates final : public SliceUpdates {
 public:
  // `replica` must outlive it. `place_of`: returns the place of a worker, or of -1, for messages;
  // null: they do not name it.
  ReplicaUpdates(const JobProto& job, Replica* replica,
                 std::function<NotFiniteAt(int worker)> place_of = nullptr);

  // Uses numbers that processes share instead of its own. REQUIRES: Attach was called.
  void Share(const SharedVerdict& shared);
  // Attaches the replica if it is not attached yet.
  void Attach(const SliceTable& table, const std::vector<Param*>& params) override;
  bool own_values() const override { return true; }
  bool needs_all() const override { return rule_.needs_all(); }
  void Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) override;
  void LossNotFinite(const std::string& layer, int64_t step, int worker) override;
  void Finish(Context& ctx, int64_t step, int worker, int workers,
              std::span<float* const> sums) override;
  void Check() override;
  bool skipped(int64_t step) const override { return skipped_ == step; }
  double GradientNorm(int64_t) override { return norm_; }
  void Await(int, int64_t) override {}

  NotFiniteAt PlaceOfWorker(int worker) const override {
    return place_of_ ? place_of_(worker) : NotFiniteAt();
  }
  int64_t skips() const override { return skips_; }
  void set_skips(int64_t steps) override { skips_ = steps; }

 private:
  void Fail(const std::string& text, int64_t step);

  Replica& replica_;
  const std::function<NotFiniteAt(int worker)> place_of_;
  const StepRule rule_;
  double norm_ = 0;  // of the last step; only the first worker's thread uses it
  std::vector<double> own_squares_;
  std::atomic<int64_t> own_dropped_{0}, own_failed_{0};
  // Sums of squares by slice, with needs_all.
  std::span<double> squares_;
  std::atomic<int64_t>* dropped_ = &own_dropped_;  // 1 + the last step to drop; 0: none
  std::atomic<int64_t> skipped_{-1};               // the last step that was dropped
  std::atomic<int64_t> skips_{0};
  std::atomic<int64_t>* failed_ = &own_failed_;  // 1 + the step that cannot be taken; 0: none
  // Text of the failure; "": another process has it.
  std::string failure_ GUARDED_BY(failure_lock_);
  Mutex failure_lock_;
};

}  // namespace singa
