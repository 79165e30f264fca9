// LocalUpdates: what one worker group's gradients do to a replica of this process.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "train/replica.h"
#include "train/slice_updates.h"

namespace singa {

class LocalUpdates final : public SliceUpdates {
 public:
  // `replica` outlives it.
  LocalUpdates(const JobProto& job, Replica* replica);

  // Binds the replica, if that was not done.
  void Bind(const SliceTable& table, const std::vector<Param*>& params) override;
  bool needs_all() const override { return skip_ || clip_norm_ > 0; }
  void Take(Context& ctx, int slice, int64_t step, float* sum) override;
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(Context& ctx, int64_t step, int worker, int workers) override;
  void Check() override;
  bool skipped(int64_t step) const override { return dropped_ == step; }
  void Await(int, int64_t) override {}

  int64_t skips() const override { return skips_; }
  void set_skips(int64_t steps) override { skips_ = steps; }

 private:
  void Fail(const std::string& text, int64_t step);

  Replica& replica_;
  const float clip_norm_;
  const bool skip_;  // on_nonfinite: kSkip
  // With needs_all, of each slice.
  std::vector<float*> sums_;
  std::vector<double> squares_;
  std::atomic<int64_t> dropped_{-1};  // the last step that was
  std::atomic<int64_t> skips_{0};
  std::atomic<bool> failed_{false};
  std::string failure_;
  std::mutex failure_lock_;  // guards failure_
};

}  // namespace singa
