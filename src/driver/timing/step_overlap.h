// StepOverlap is the arithmetic of a step with several workers: how much of the time in which
// gradients are on their way is hidden behind the computing of layers. Times are nanoseconds of one
// clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread/clock.h"

namespace singa {

inline double MsOf(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / static_cast<double>(kMillisecond);
}

struct Interval {
  int64_t from = 0, to = 0;

  int64_t length() const { return to - from; }
};

// A call of a worker to a layer.
struct LayerSpan {
  int layer = 0;  // place in the net's order
  bool backward = false, bridge = false;
  Interval time;
  int64_t wait = 0;  // part of the time, in nanoseconds, that an input layer waits for records
};

// A call of a worker to its ParamExchange.
struct ExchangeSpan {
  enum Kind : unsigned char { kAwait, kGradient, kPieces, kFinish };

  Kind kind = kFinish;
  int param = -1;  // place in TrainedParams::own; -1: the call is for no param
  int layer = -1;  // place of the layer that completes the param's gradient; -1: none
  Interval time;
  int64_t computing = 0;  // part of the time in which the worker computed the gradient's pieces
};

// A time in which a thread of a worker updates values within a span.
struct UpdateSpan {
  Interval time;
  int threads = 1;  // of the worker that may do so at a time
};

// Returns the union of `intervals`, cut to `window`, as ascending intervals that do not touch.
std::vector<Interval> UnionIn(const Interval& window, std::vector<Interval> intervals);
int64_t LengthOf(std::span<const Interval> intervals);
// Returns the part of `time` that is in `apart`, a result of UnionIn.
int64_t Overlap(const Interval& time, std::span<const Interval> apart);

// The exchange of one step.
struct ExchangeTimes {
  int64_t communication = 0;  // in which at least one gradient is on its way
  // Means over the workers. `exposed`: the part of `communication` in which a worker is in calls to
  // its exchange, and neither computes nor updates. `worker_wait`: the rest of these calls, in
  // which no gradient is on its way.
  int64_t exposed = 0, worker_wait = 0;
  int64_t update = 0;  // mean over the workers of the time in which they update values
};

// `flights`: of each gradient, from complete to added up. `spans`: by worker. `updates`: of all
// workers.
ExchangeTimes TimesOf(const Interval& window, const std::vector<Interval>& flights,
                      std::span<const std::vector<ExchangeSpan>> spans,
                      std::span<const UpdateSpan> updates);

}  // namespace singa
