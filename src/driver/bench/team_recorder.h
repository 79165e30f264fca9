// TeamRecorder trains steps of the workers of one group in this process, and measures how much of
// the exchange of gradients is hidden behind their computing. One thread uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cluster/workers/worker_team.h"
#include "driver/bench/slice_times.h"
#include "driver/bench/step_trace.h"
#include "driver/timing/step_overlap.h"
#include "driver/timing/step_timer.h"

namespace singa {

// Milliseconds of one step, from its start to that of the next. All but `step` and `communication`
// are means over the workers here; ExchangeTimes explains some.
struct StepFigures {
  double step = 0, forward = 0, backward = 0;
  double features = 0;  // exchange of features between workers that divide layers (nn/graph/bridge)
  double update = 0;    // by workers; 0 if servers or another thread update
  double exposed = 0, worker_wait = 0;
  double data_wait = 0;
  double communication = 0;

  // Returns the rest of the step.
  double other() const {
    return step - forward - backward - features - update - exposed - worker_wait - data_wait;
  }
};

// Milliseconds of the gradient of one param. `ready` and `sum` are since the start of the step.
struct GradientTimes {
  double ready = 0;  // the last worker here has computed it
  double sum = -1;   // its sum, or the values that it made, had come; -1: it is not known here
  double wait = 0;   // longest wait of a worker's next forward pass for its values
};

// Sets the names of layers and params that spans of the model's workers refer to.
void AddNames(const WorkerModel& model, StepTrace* trace);

class TeamRecorder {
 public:
  // `times` must outlive the team, all others this. REQUIRES: the team is connected, and trains on
  // the host.
  TeamRecorder(WorkerTeam* team, const Clock* clock, SliceTimes* times);

  // Does as WorkerTeam::AwaitRecords, and counts the time.
  bool AwaitRecords(const std::function<bool()>& stop);
  // Trains `step`. Steps follow each other.
  void Step(int64_t step);

  // Returns the figures of the step before the last; none in the first two steps, since gradients
  // of the step before it count.
  const std::optional<StepFigures>& figures() const { return figures_; }
  // Returns the trace of the step of figures(), without names. REQUIRES: there are figures.
  const StepTrace& trace() const { return trace_; }
  // Returns the times by param of the step before the last.
  const std::vector<GradientTimes>& gradients() const { return gradients_; }

 private:
  struct Flight {
    Interval time;
    bool known = false;    // a part of the sum was handed on here
    bool arrived = false;  // else it is still on its way
  };
  // Returns whether one worker alone computes the gradient of the slice and updates its values.
  bool HasOneWorker(int slice) const;
  // Returns the way of the gradient of `param` in `step`. `ready`: by param.
  Flight FlightOf(int64_t step, int param, const std::vector<int64_t>& ready) const;
  void NoteReady();
  void NoteGradients(int64_t step);
  std::vector<StepTrace::Flight> FlightsOf(const Interval& window, int64_t step) const;
  StepTrace TraceOf(const Interval& window, int64_t step) const;
  StepFigures FiguresOf(const Interval& window, int64_t step) const;
  std::vector<UpdateSpan> UpdatesOf(int64_t step) const;

  WorkerTeam& team_;
  const Clock& clock_;
  SliceTimes& times_;
  const TrainedParams& trained_;
  const bool own_values_;
  const int workers_;                               // of the group
  const int threads_;                               // of a worker
  std::vector<std::unique_ptr<StepTimer>> timers_;  // by worker
  int64_t start_ = 0, start_before_ = 0;            // of the last two steps
  int64_t steps_ = 0;
  std::vector<Interval> awaited_;              // waits for records since the last step
  std::vector<int64_t> ready_, ready_before_;  // by param, in the last two steps
  std::optional<StepFigures> figures_;
  StepTrace trace_;
  std::vector<GradientTimes> gradients_;
};

}  // namespace singa
