// PartRun trains one worker's part of a net, and measures its layers. The gradients of the worker
// are taken for the sums of the group, and the regions of other workers are zeros. The parts that
// run at once wait for each other at bridges.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread/clock.h"
#include "driver/plan/part_exchange.h"
#include "driver/plan/part_times.h"
#include "driver/plan/part_trainer.h"
#include "driver/timing/step_timer.h"

namespace singa {

// One thread at a time uses it.
class PartRun {
 public:
  // Allocates all memory, and sets the params' first values. The run is part `part` of `meeting`,
  // which must outlive it. Throws as a training does.
  PartRun(const JobProto& job, const WorkerPlace& place, PartMeeting* meeting, int part);

  // Trains a step. Returns its milliseconds.
  double Step(int64_t step);
  // Records the last step, which took `ms`.
  void Record(double ms);

  // Returns the medians over the recorded steps, without a spread.
  PartTimes Result() const;
  // Returns the time of recorded step `step`: without bridges and waits for records, but with the
  // waits for other parts.
  double MsOf(size_t step) const;
  size_t steps() const { return ms_.size(); }

 private:
  const Net& net() const { return part_.trainer().model().net(); }

  const SteadyClock clock_;
  std::unique_ptr<PartExchange> others_;  // in place of the other workers
  std::unique_ptr<GradientReduction> reduction_;
  PartTrainer part_;
  std::unique_ptr<StepTimer> timer_;
  std::vector<double> ms_, waits_;              // of each recorded step, and for other parts
  std::vector<std::vector<LayerTimes>> times_;  // by recorded step and node
};

}  // namespace singa
