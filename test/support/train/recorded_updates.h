// RecordedUpdates keeps what a group hands on to its SliceUpdates, and updates nothing.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "math/finite.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "train/apply/slice_updates.h"

namespace singa {

class RecordedUpdates final : public SliceUpdates {
 public:
  // `table`: has the slices' sizes.
  explicit RecordedUpdates(const SliceTable& table = SliceTable()) : table_(table) {}

  void Attach(const SliceTable&, const std::vector<Param*>&) override {}
  bool needs_all() const override { return needs_all_; }
  void Submit(Context& ctx, int slice, int64_t, std::span<float* const> given) override {
    const std::lock_guard lock(mutex_);
    const bool finite = std::ranges::all_of(
        given, [&](const float* sum) { return AllFinite(ctx, sum, table_[slice].size); });
    not_finite[slice] = finite ? -1 : NotFiniteWorker(ctx, slice);
    order.push_back(slice);
    for (const float* sum : given) sums[slice].emplace_back(sum, sum + table_[slice].size);
  }
  void LossNotFinite(const std::string& layer, int64_t step, int worker) override {
    said.push_back(StrCat("loss of ", layer, " in step ", step, " at worker ", worker));
  }
  void Finish(Context&, int64_t step, int worker, int workers,
              std::span<float* const> given) override {
    const std::lock_guard lock(mutex_);
    said.push_back(StrCat("finish ", step, " by ", worker, " of ", workers));
    finished_with.assign(given.begin(), given.end());
  }
  void Check() override {
    if (!failure.empty()) throw DivergedError(failure);
  }
  bool skipped(int64_t) const override { return false; }
  double GradientNorm(int64_t) override { return 0; }
  int64_t skips() const override { return skips_; }
  void set_skips(int64_t steps) override { skips_ = steps; }
  void Await(int param, int64_t step) override {
    said.push_back(StrCat("await ", param, " in step ", step));
  }

  void set_needs_all(bool needs) { needs_all_ = needs; }

  std::vector<int> order;                               // slices, as they were submitted
  std::map<int, std::vector<std::vector<float>>> sums;  // by slice, of each node
  std::map<int, int> not_finite;                        // by slice: the worker, or -1
  std::vector<std::string> said;                        // all other calls
  std::vector<float*> finished_with;                    // the sums of the last Finish
  std::string failure;                                  // thrown by Check, if not empty

 private:
  const SliceTable table_;
  std::mutex mutex_;
  bool needs_all_ = false;
  int64_t skips_ = 0;
};

}  // namespace singa
