// LayerProfile measures the layers of a worker in a few early steps of a training, and writes their
// times to the workspace, for `singa board`. The other steps run without it. The worker's thread
// uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/thread/clock.h"
#include "driver/bench/step_timer.h"
#include "driver/job/side_files.h"
#include "driver/job/workspace.h"
#include "train/trainer/trainer.h"

namespace singa {

class LayerProfile {
 public:
  static constexpr int64_t kWarmUp = 5, kSteps = 5;  // steps that are not measured, and that are

  // Removes the file of an earlier run, whose net may be another one. Measures nothing on a GPU:
  // the host would wait for it after each layer. All arguments must outlive it.
  LayerProfile(Trainer* worker, const Workspace* workspace, SideFiles* side_files);

  // These are called before and after each step.
  void BeginStep();
  void EndStep();

 private:
  void Write();

  Trainer& worker_;
  const Workspace& workspace_;
  SideFiles& side_files_;
  const SteadyClock clock_;
  int64_t begun_ = 0;                           // steps
  std::optional<StepTimer> timer_;              // none: the step is not measured
  std::vector<std::vector<LayerTimes>> times_;  // by step and layer
};

}  // namespace singa
