// SliceUpdates takes the summed gradients of a group's workers, slice by slice. It applies them to
// the values at once, or sends them to servers. Workers of one or several groups call it.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/nn/param.h"
#include "train/apply/not_finite.h"
#include "train/apply/slice_events.h"

namespace singa {

// WorkerGradients has the gradients of single workers, where sums of them are submitted.
class WorkerGradients {
 public:
  // Returns the worker of the group whose gradient of `slice` is not finite; -1: not known. Called
  // within Submit of a sum that is not finite.
  virtual int NotFiniteWorker(const Context& ctx, int slice) const = 0;

 protected:
  ~WorkerGradients() = default;
};

class SliceUpdates {
 public:
  virtual ~SliceUpdates() = default;

  // Returns whether it alone changes the values, in this process's memory.
  virtual bool own_values() const { return false; }
  // Attaches to the params of `table`, of one worker, before the first step.
  virtual void Attach(const SliceTable& table, const std::vector<Param*>& params) = 0;

  // Returns whether gradients must stay in place until Finish, since each update depends on all
  // gradients.
  virtual bool needs_all() const = 0;
  // Submits `sums` of the gradient of `slice` in `step`, for each of MemoryGroup::nodes(); one, the
  // whole sum, if all workers of the group share memory. With needs_all they stay, and may be
  // changed, until Finish. Any thread of a worker calls it, once for each slice and step. Check
  // throws its errors.
  virtual void Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) = 0;
  // Is told that the loss of `layer` is not finite at `worker` of the group. Throws DivergedError,
  // or leaves `step` without effect.
  virtual void LossNotFinite(const std::string& layer, int64_t step, int worker) = 0;
  // Ends `step`: every slice was taken, or the loss is not finite. Worker `worker` of `workers`
  // does its share of the rest. All of them call it, and none goes on before all have. `sums`, with
  // needs_all: by slice, the first node's sum, also of slices that another process took; null: no
  // worker of these has rows of the slice.
  virtual void Finish(Context& ctx, int64_t step, int worker, int workers,
                      std::span<float* const> sums) = 0;
  // Throws the error of Submit: DivergedError, once, and Stopped in other processes.
  virtual void Check() = 0;
  // Returns whether `step` was left without effect. REQUIRES: Finish was called.
  virtual bool skipped(int64_t step) const = 0;
  // Returns, with clip_norm, the norm of the group's mean gradient in `step`, the last one, before
  // it was bounded; NaN if the step had no effect. May wait for servers, and throws as Await does.
  // REQUIRES: Finish was called.
  virtual double GradientNorm(int64_t step) = 0;
  // Returns the number of steps without effect.
  virtual int64_t skips() const = 0;
  virtual void set_skips(int64_t steps) = 0;
  // Blocks until the values of `param` include the updates of all steps before `step`.
  virtual void Await(int param, int64_t step) = 0;

  // Returns the place of a worker of the group, or of -1, in messages about numbers that are not
  // finite.
  virtual NotFiniteAt PlaceOfWorker(int /*worker*/) const { return {}; }
  // Lets messages name the worker of a gradient. `gradients` must outlive the steps.
  void set_gradients(const WorkerGradients* gradients) { gradients_ = gradients; }
  // Lets `events` hear of all slices from now on. It must outlive the updates. Called between
  // steps.
  void set_events(SliceEvents* events) { events_ = events; }
  // Returns null if nobody listens, as in training.
  SliceEvents* events() const { return events_.load(std::memory_order_acquire); }

 protected:
  void NoteFresh(int slice, int64_t step) const {
    if (SliceEvents* const events = this->events()) events->OnFresh(slice, step);
  }

  // As WorkerGradients has it.
  int NotFiniteWorker(const Context& ctx, int slice) const {
    return gradients_ ? gradients_->NotFiniteWorker(ctx, slice) : -1;
  }

 private:
  const WorkerGradients* gradients_ = nullptr;
  std::atomic<SliceEvents*> events_{nullptr};
};

}  // namespace singa
