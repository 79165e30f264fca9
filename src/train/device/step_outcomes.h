// StepOutcomes: what became of the steps that a device computes. The report of each follows its
// work to the host, which hands out further steps meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/nn/param.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"
#include "train/apply/slice_updates.h"
#include "train/device/loss_scale.h"
#include "train/device/step_report.h"

namespace singa {

class StepOutcomes {
 public:
  struct Worker {
    Context* ctx;
    SliceUpdates* updates;            // counts steps that are skipped
    LossScale* loss_scale;            // null: losses are not scaled
    bool skips;                       // a step that is not finite, which else ends the job
    bool leads;                       // tells of what is left out
    std::vector<std::string> losses;  // their layers
    size_t ahead;                     // steps whose reports may be on their way
  };
  // All that `worker` points to outlives it. Throws DeviceError.
  explicit StepOutcomes(Worker worker);

  int64_t losses() const { return std::ssize(worker_.losses); }
  // Whose gradient each piece is, before the first report of one.
  void SetPieces(std::vector<const Param*> params) { params_of_pieces_ = std::move(params); }
  // Where the device writes it.
  StepReport* report() { return report_.as<StepReport>(); }

  // A step's work was handed out.
  void Follow();
  // Until the reports of at most `most` steps are on their way; `group`, where not null, has sums
  // before them. Returns how many steps were left out. Throws DivergedError for one that ends the
  // job.
  int64_t LookAt(size_t most, GpuGroup* group);
  // With clip_norm: of the last step that was looked at; NaN where it was left out.
  double gradient_norm() const { return gradient_norm_; }

 private:
  // What a report is copied to, and when it is there.
  struct OnItsWay {
    std::shared_ptr<void> report;  // pinned
    std::unique_ptr<Event> here;
  };
  bool LeavesOut(const StepReport& report);
  std::string TextOf(const StepReport& report) const;

  const Worker worker_;
  std::vector<const Param*> params_of_pieces_;
  Tensor report_;
  std::deque<OnItsWay> on_their_way_;
  std::vector<std::shared_ptr<void>> free_;  // pinned
  double gradient_norm_ = 0;
};

}  // namespace singa
