// StepRecorder trains and records the steps of group 0 in a process other than rank 0. Rank 0 asks
// for a record at the end. The thread that follows rank 0 uses it.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/workers/worker_team.h"

namespace singa {

class StepRecorder {
 public:
  StepRecorder() = default;
  virtual ~StepRecorder() = default;
  StepRecorder(const StepRecorder&) = delete;
  StepRecorder& operator=(const StepRecorder&) = delete;

  // Begins to record `team`, which must outlive the recording. Is not called in a process without
  // workers of group 0.
  virtual void Begin(WorkerTeam* team) = 0;
  // Trains a step in place of WorkerTeam::TrainStep, as that does.
  virtual void Step(int64_t step) = 0;
  virtual void End() = 0;
  // Returns the record of a step for rank 0; "": there is none.
  virtual std::string Record(int64_t step) = 0;
};

}  // namespace singa
