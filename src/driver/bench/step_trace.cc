#include "driver/bench/step_trace.h"

#include <algorithm>
#include <utility>

namespace singa {

const char* NameOf(TraceSpan::Kind kind) {
  constexpr const char* kNames[] = {"forward", "backward", "update", "communication", "wait"};
  return kNames[kind];
}

// A layer's span comes before a call for gradients with the same times, which is inside it. Input
// layers wait for their records first.
std::vector<TraceSpan> SpansOf(std::span<const LayerSpan> layers,
                               std::span<const ExchangeSpan> exchange, TraceSpan::Kind gradient) {
  std::vector<TraceSpan> spans;
  for (const LayerSpan& span : layers) {
    const TraceSpan::Kind own = span.backward ? TraceSpan::kBackwardCall : TraceSpan::kForwardCall;
    const TraceSpan::Kind kind = span.bridge ? TraceSpan::kExchange : own;
    spans.push_back({.kind = kind, .layer = span.layer, .time = span.time});
    const int64_t waited = std::min(span.wait, span.time.length());
    if (waited > 0)
      spans.push_back({.kind = TraceSpan::kWaiting,
                       .layer = span.layer,
                       .time = {span.time.from, span.time.from + waited}});
  }
  for (const ExchangeSpan& span : exchange)
    spans.push_back({.kind = span.kind == ExchangeSpan::kAwait ? TraceSpan::kWaiting : gradient,
                     .layer = span.layer,
                     .param = span.param,
                     .time = span.time,
                     .computing = span.computing});
  std::ranges::stable_sort(spans, [](const TraceSpan& a, const TraceSpan& b) {
    return std::pair(a.time.from, -a.time.to) < std::pair(b.time.from, -b.time.to);
  });
  return spans;
}

void StepTraces::Add(StepTrace trace) {
  traces_.push_back(std::move(trace));
  if (traces_.size() > kept_) traces_.pop_front();
}

StepTrace StepTraces::Median() const {
  std::vector<const StepTrace*> by_time;
  for (const StepTrace& trace : traces_) by_time.push_back(&trace);
  const auto middle = by_time.begin() + std::ssize(by_time) / 2;
  std::ranges::nth_element(by_time, middle, {},
                           [](const StepTrace* trace) { return trace->time.length(); });
  return **middle;
}

const StepTrace* StepTraces::Find(int64_t step) const {
  const auto found = std::ranges::find(traces_, step, &StepTrace::step);
  return found == traces_.end() ? nullptr : &*found;
}

}  // namespace singa
