// StepOutcomes brings the outcomes of a device's steps to the host. The report of each step follows
// the step's work, while the host hands out further steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/nn/net.h"
#include "singa/nn/param.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"
#include "train/apply/not_finite.h"
#include "train/apply/slice_updates.h"
#include "train/device/loss_scale.h"
#include "train/device/step_report.h"

namespace singa {

// Returns the layer of each metric of the net's losses.
std::vector<std::string> LossLayers(const Net& net);

class StepOutcomes {
 public:
  struct Worker {
    Context* ctx;
    SliceUpdates* updates;            // counts steps that are skipped
    LossScale* loss_scale;            // null: losses are not scaled
    bool skips;                       // skips a step that is not finite, which else ends the job
    bool leads;                       // logs steps that are left out
    std::vector<std::string> losses;  // layers of the losses
    size_t ahead;                     // most steps whose reports are on their way
    // Returns the place of the worker whose loss or gradient is the reason. All workers of a group
    // call it for the same steps, since they ask each other. Null: texts name no worker.
    std::function<NotFiniteAt(const StepReport&)> place_of = nullptr;
  };
  // All that `worker` points to must outlive it. Throws DeviceError.
  explicit StepOutcomes(Worker worker);

  int64_t losses() const { return std::ssize(worker_.losses); }
  // Returns the place of the report on the device.
  StepReport* report() { return report_.as<StepReport>(); }

  // Sends the report of a step whose work was handed out.
  void SendReport();
  // Waits until the reports of at most `most` steps are on their way. `pieces`: the param of each
  // piece of a gradient, for texts. `group`, if not null, has sums before the reports. Returns how
  // many steps were left out. Throws DivergedError if a step ends the job.
  int64_t AwaitReports(size_t most, const std::vector<const Param*>& pieces, GpuGroup* group);
  // Returns, with clip_norm, the gradient norm of the last step whose report came; NaN if it was
  // left out.
  double gradient_norm() const { return gradient_norm_; }

 private:
  // The copy of a report, and the event of its arrival.
  struct SentReport {
    std::shared_ptr<void> report;  // pinned
    std::unique_ptr<Event> here;
  };
  bool LeavesOut(const StepReport& report, const std::vector<const Param*>& pieces);
  std::string TextOf(const StepReport& report, const std::vector<const Param*>& pieces,
                     const NotFiniteAt& at = {}) const;

  const Worker worker_;
  Tensor report_;
  std::deque<SentReport> on_their_way_;
  std::vector<std::shared_ptr<void>> free_;  // pinned
  double gradient_norm_ = 0;
};

}  // namespace singa
