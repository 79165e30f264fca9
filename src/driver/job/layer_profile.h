// LayerProfile measures the layers of a worker in a few early steps of a training, and writes their
// times to the workspace, for `singa board`. The other steps run without it. The worker's thread
// uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/thread/clock.h"
#include "driver/timing/step_timer.h"
#include "driver/workspace/side_files.h"
#include "driver/workspace/workspace.h"
#include "train/trainer/trainer.h"

namespace singa {

class LayerProfile {
 public:
  static constexpr int64_t kWarmUp = 5, kSteps = 5;  // steps that are not measured, and that are

  // A new run removes the file of an earlier one, whose net may be another. A run that `resumes`
  // replaces it after its first steps. Measures nothing on a GPU, since the host would wait for it
  // after each layer, and nothing where a user's algorithm trains: it may cast the layers of the
  // net, which StepTimer wraps. All arguments must outlive this.
  LayerProfile(const JobProto& job, bool resumes, Trainer* worker, const Workspace* workspace,
               SideFiles* side_files);

  // These are called before and after each step.
  void BeginStep();
  void EndStep();

 private:
  void Write();

  Trainer& worker_;
  const Workspace& workspace_;
  SideFiles& side_files_;
  const bool measures_;
  const SteadyClock clock_;
  int64_t begun_ = 0;                           // steps
  std::optional<StepTimer> timer_;              // none: the step is not measured
  std::vector<std::vector<LayerTimes>> times_;  // by step and layer
};

}  // namespace singa
