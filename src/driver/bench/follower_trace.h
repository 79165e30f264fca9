// FollowerTrace keeps traces of the last steps of a process other than rank 0. Rank 0 asks for one
// of them.
#pragma once

#include <optional>

#include "base/thread/clock.h"
#include "driver/bench/slice_times.h"
#include "driver/bench/step_trace.h"
#include "driver/bench/team_recorder.h"
#include "driver/job/step_grants.h"
#include "driver/job/step_recorder.h"

namespace singa {

class FollowerTrace final : public StepRecorder {
 public:
  void Begin(WorkerTeam* team) override;
  void Step(int64_t step) override;
  void End() override { recorder_.reset(); }
  // Returns the step's trace as text (driver/bench/rank_trace.h).
  std::string Record(int64_t step) override;

 private:
  const SteadyClock clock_ = {};
  SliceTimes slices_{&clock_};  // the team's updates call it until they are destroyed
  WorkerTeam* team_ = nullptr;
  std::optional<TeamRecorder> recorder_;
  // Rank 0 chooses one of its last StepTraces::kKept steps. By then other processes may have
  // trained the steps that it has granted ahead, and the trace of a step is made two steps later.
  StepTraces traces_{StepTraces::kKept + StepGrants::kMostAhead + 2};
};

}  // namespace singa
