// StepTrace holds when each worker of this process did what in one step, for a picture of the step.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "driver/timing/step_overlap.h"

namespace singa {

// A piece of work, or a wait. Spans of one worker nest or are apart.
struct TraceSpan {
  enum Kind : unsigned char { kForwardCall, kBackwardCall, kUpdates, kExchange, kWaiting };

  Kind kind = kForwardCall;
  int layer = -1;  // place in StepTrace::layers; -1: the span is for no layer
  int param = -1;  // place in StepTrace::params; -1: the span is for no param
  Interval time;
  int64_t computing = 0;  // part of the time, in nanoseconds, that is the layer's backward pass
};

struct StepTrace {
  // A gradient on its way, from ready to added up.
  struct Flight {
    int param = 0;
    int64_t step = 0;  // this step, or the one before
    Interval time;     // within the step's
  };

  int64_t step = 0;
  Interval time;
  // Spans by worker, outer ones before inner ones.
  std::vector<std::vector<TraceSpan>> workers = {};
  std::vector<TraceSpan> updates = {};  // of slices, by any thread of several workers
  std::vector<Flight> flights = {};
  std::vector<std::string> layers = {}, params = {};  // names
};

// Returns the spans of a worker's step, of its calls to layers and to its exchange. `gradient`: the
// kind of calls for gradients.
std::vector<TraceSpan> SpansOf(std::span<const LayerSpan> layers,
                               std::span<const ExchangeSpan> exchange, TraceSpan::Kind gradient);

// Returns names for people, such as "forward".
const char* NameOf(TraceSpan::Kind kind);

// The last steps of a measurement.
class StepTraces {
 public:
  static constexpr size_t kKept = 50;  // limits the memory of long measurements

  explicit StepTraces(size_t kept = kKept) : kept_(kept) {}

  void Add(StepTrace trace);
  // Returns the step with the median time. REQUIRES: a step was added.
  StepTrace Median() const;
  // Returns the trace of a step; null: it is not kept.
  const StepTrace* Find(int64_t step) const;

 private:
  const size_t kept_;
  std::deque<StepTrace> traces_;
};

}  // namespace singa
