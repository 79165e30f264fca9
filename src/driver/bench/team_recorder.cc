#include "driver/bench/team_recorder.h"

#include <algorithm>
#include <utility>

namespace singa {

void AddNames(const WorkerModel& model, StepTrace* trace) {
  for (const NetNode& node : model.net().nodes()) trace->layers.push_back(node.full_name);
  for (const Param* param : model.trained().params) trace->params.push_back(param->name());
}

TeamRecorder::TeamRecorder(WorkerTeam* team, const Clock* clock, SliceTimes* times)
    : team_(*team),
      clock_(*clock),
      times_(*times),
      trained_(team->lead().model().trained()),
      own_values_(team->lead().updates().own_values()),
      workers_(team->lead().model().place().workers),
      threads_(std::max(1, team->lead().model().ctx().threads)),
      ready_(trained_.own.size(), SliceTimes::kNone),
      ready_before_(ready_),
      gradients_(trained_.own.size()) {
  for (Trainer* trainer : team_.trainers())
    timers_.push_back(std::make_unique<StepTimer>(trainer, clock));
  times_.Resize(trained_.table.size());
  team_.lead().updates().set_events(times);
}

bool TeamRecorder::AwaitRecords(const std::function<bool()>& stop) {
  const int64_t start = clock_.Now();
  const bool there = team_.AwaitRecords(stop);
  // Readers count this wait, too. It is in awaited_, so the next step's layers must not have it.
  for (Trainer* trainer : team_.trainers()) trainer->model().readers().TakeWaitMs();
  awaited_.push_back({start, clock_.Now()});
  return there;
}

void TeamRecorder::Step(int64_t step) {
  const int64_t now = clock_.Now();
  if (steps_ > 1) {
    figures_ = FiguresOf({start_, now}, step - 1);
    trace_ = TraceOf({start_, now}, step - 1);
  }
  awaited_.clear();
  start_before_ = std::exchange(start_, now);
  ready_before_ = ready_;
  times_.Begin(step);
  team_.TrainStep([&](size_t worker) { timers_[worker]->Step(step); });
  NoteReady();
  if (steps_ > 0) NoteGradients(step - 1);
  ++steps_;
}

// A gradient that is handed on in pieces is on its way from its first piece on; others, from the
// time at which the last worker has them.
void TeamRecorder::NoteReady() {
  std::ranges::fill(ready_, SliceTimes::kNone);
  for (const auto& timer : timers_)
    for (const ExchangeSpan& span : timer->spans()) {
      if (span.kind != ExchangeSpan::kGradient && span.kind != ExchangeSpan::kPieces) continue;
      if (span.param < 0) continue;
      int64_t& ready = ready_[span.param];
      if (span.kind == ExchangeSpan::kGradient && trained_.in_pieces[span.param]) continue;
      const bool earliest = span.kind == ExchangeSpan::kPieces && ready != SliceTimes::kNone;
      ready = earliest ? std::min(ready, span.time.from) : std::max(ready, span.time.from);
    }
}

void TeamRecorder::NoteGradients(int64_t step) {
  for (int param = 0; param < std::ssize(gradients_); ++param) {
    const Flight flight = FlightOf(step, param, ready_before_);
    GradientTimes& times = gradients_[param];
    times = {.ready = MsOf(std::max<int64_t>(0, ready_before_[param] - start_before_))};
    if (flight.known && flight.arrived) times.sum = MsOf(flight.time.to - start_before_);
  }
  for (const auto& timer : timers_)
    for (const ExchangeSpan& span : timer->spans())
      if (span.kind == ExchangeSpan::kAwait && span.param >= 0)
        gradients_[span.param].wait =
            std::max(gradients_[span.param].wait, MsOf(span.time.length()));
}

bool TeamRecorder::HasOneWorker(int slice) const {
  return own_values_ && (workers_ == 1 || trained_.table[slice].by.count == 1);
}

// Sums that other processes add up, in memory that they share with this one, are not known here.
TeamRecorder::Flight TeamRecorder::FlightOf(int64_t step, int param,
                                            const std::vector<int64_t>& ready) const {
  Flight flight = {.time = {ready[param], ready[param]}, .arrived = true};
  const auto [first, last] = trained_.table.OfParam(param);
  for (int s = first; s < last && ready[param] != SliceTimes::kNone; ++s) {
    const SliceTimes::Times times = times_.Of(step, s);
    if (times.sum == SliceTimes::kNone || HasOneWorker(s)) continue;
    flight.known = true;
    const int64_t came = own_values_ ? times.sum : times.fresh;
    flight.arrived = flight.arrived && came != SliceTimes::kNone;
    flight.time.to = std::max(flight.time.to, came);
  }
  return flight;
}

// Servers and the exchange between processes update values elsewhere; Submit then only sends.
std::vector<UpdateSpan> TeamRecorder::UpdatesOf(int64_t step) const {
  std::vector<UpdateSpan> updates;
  for (int s = 0; own_values_ && s < trained_.table.size(); ++s) {
    const SliceTimes::Times times = times_.Of(step, s);
    if (times.submitted == SliceTimes::kNone) continue;
    const bool in_pieces = trained_.in_pieces[trained_.table[s].param];
    updates.push_back({{times.sum, times.submitted}, in_pieces ? threads_ : 1});
  }
  return updates;
}

// Gradients of the step before may still be on their way when the step begins.
std::vector<StepTrace::Flight> TeamRecorder::FlightsOf(const Interval& window, int64_t step) const {
  std::vector<StepTrace::Flight> flights;
  for (int param = 0; param < std::ssize(ready_); ++param)
    for (const auto& [of, ready] : {std::pair{step - 1, &ready_before_}, {step, &ready_}}) {
      Flight flight = FlightOf(of, param, *ready);
      if (!flight.arrived) flight.time.to = window.to;
      const Interval inside = {std::max(flight.time.from, window.from),
                               std::min(flight.time.to, window.to)};
      if (flight.known && inside.length() > 0) flights.push_back({param, of, inside});
    }
  return flights;
}

// The first worker waits for the records of all workers, after its step.
StepTrace TeamRecorder::TraceOf(const Interval& window, int64_t step) const {
  StepTrace trace = {.step = step, .time = window, .flights = FlightsOf(window, step)};
  for (const auto& timer : timers_)
    trace.workers.push_back(SpansOf(timer->layer_spans(), timer->spans(), TraceSpan::kExchange));
  for (const Interval& time : awaited_)
    trace.workers[0].push_back({.kind = TraceSpan::kWaiting, .time = time});
  for (int s = 0; own_values_ && s < trained_.table.size(); ++s) {
    const SliceTimes::Times times = times_.Of(step, s);
    if (times.submitted == SliceTimes::kNone) continue;
    trace.updates.push_back({.kind = TraceSpan::kUpdates,
                             .param = trained_.table[s].param,
                             .time = {times.sum, times.submitted}});
  }
  return trace;
}

StepFigures TeamRecorder::FiguresOf(const Interval& window, int64_t step) const {
  StepFigures figures = {.step = MsOf(window.length()), .data_wait = MsOf(LengthOf(awaited_))};
  std::vector<std::vector<ExchangeSpan>> spans;
  const auto& nodes = team_.lead().model().net().nodes();
  const double share = 1.0 / static_cast<double>(timers_.size());
  for (const auto& timer : timers_) {
    spans.push_back(timer->spans());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const LayerTimes& layer = timer->layers()[i];
      (nodes[i].bridge ? figures.features : figures.forward) += share * layer.forward;
      (nodes[i].bridge ? figures.features : figures.backward) += share * layer.backward;
      figures.data_wait += share * layer.wait;
    }
  }
  std::vector<Interval> flights;
  for (const StepTrace::Flight& flight : FlightsOf(window, step)) flights.push_back(flight.time);
  const ExchangeTimes times = TimesOf(window, flights, spans, UpdatesOf(step));
  figures.update = MsOf(times.update);
  figures.exposed = MsOf(times.exposed);
  figures.worker_wait = MsOf(times.worker_wait);
  figures.communication = MsOf(times.communication);
  return figures;
}

}  // namespace singa
