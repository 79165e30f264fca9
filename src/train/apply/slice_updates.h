// SliceUpdates: where the gradients of a group's workers go once they are added up, slice by
// slice: into the values at once, or to servers. Workers of one or several groups call it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/nn/param.h"

namespace singa {

class SliceUpdates {
 public:
  virtual ~SliceUpdates() = default;

  // Whether they change the values in this process's memory, and nobody else does.
  virtual bool own_values() const { return false; }
  // Before the first step: `params` are those of `table`, of one worker.
  virtual void Bind(const SliceTable& table, const std::vector<Param*>& params) = 0;

  // Whether gradients must stay where they are until Finish: what happens to one depends on all.
  virtual bool needs_all() const = 0;
  // `sums`: of the gradient of `slice` in `step`, for each of MemoryGroup::nodes(): one, the whole,
  // where all workers of the group share memory. With needs_all they stay, and may be changed,
  // until Finish. Any thread of a worker calls it, once for each slice and step; what is wrong is
  // thrown by Check.
  virtual void Take(Context& ctx, int slice, int64_t step, std::span<float* const> sums) = 0;
  // The loss of `layer` is not finite: throws DivergedError, or leaves `step` without effect.
  virtual void LossNotFinite(const std::string& layer, int64_t step) = 0;
  // Every slice of `step` was taken, or its loss is not finite. Worker `worker` of `workers` does
  // its share of what is left; all of them call it, and none goes on before all have. `sums`: of
  // each slice, of the first node, with needs_all, also of those that another process took.
  virtual void Finish(Context& ctx, int64_t step, int worker, int workers,
                      std::span<float* const> sums) = 0;
  // Throws what went wrong in Take: DivergedError, once, and Stopped in other processes.
  virtual void Check() = 0;
  // Whether `step` was left without effect. After Finish.
  virtual bool skipped(int64_t step) const = 0;
  // With clip_norm: the norm of the group's mean gradient in `step`, the last one, before it was
  // bounded; NaN where that had no effect. After Finish. May wait for servers, and throws as Await.
  virtual double GradientNorm(int64_t step) = 0;
  // How many steps were.
  virtual int64_t skips() const = 0;
  virtual void set_skips(int64_t steps) = 0;
  // Until the updates of all steps before `step` are in the values of `param`.
  virtual void Await(int param, int64_t step) = 0;
};

}  // namespace singa
