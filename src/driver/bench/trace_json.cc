#include "driver/bench/trace_json.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/json_text.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using nlohmann::ordered_json;

ordered_json NameEvent(const char* what, int track, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", 0}, {"tid", track}, {"args", {{"name", name}}}};
}

// Collects events. Events that were added to a lane overlap no other event of their track.
class EventList {
 public:
  explicit EventList(const StepTrace& trace) : trace_(trace) {}

  void Name(const char* what, int track, const std::string& name) {
    events_.push_back(NameEvent(what, track, name));
  }
  void Span(const std::string& name, const char* kind, const Interval& time, int track,
            const ordered_json& args) {
    events_.push_back({{"name", name},
                       {"cat", kind},
                       {"ph", "X"},
                       {"ts", static_cast<double>(time.from - trace_.time.from) / 1e3},
                       {"dur", static_cast<double>(time.length()) / 1e3},
                       {"pid", 0},
                       {"tid", track},
                       {"args", args}});
  }
  void Worker(int worker) {
    Name("thread_name", worker, StrCat("worker ", worker));
    Span(StrCat("step ", trace_.step), "step", trace_.time, worker, {{"step", trace_.step}});
    for (const TraceSpan& span : trace_.workers[worker]) Span(span, worker);
  }
  void Span(const TraceSpan& span, int track) {
    const std::string layer = span.layer < 0 ? "" : trace_.layers[span.layer];
    const std::string param = span.param < 0 ? "" : trace_.params[span.param];
    ordered_json args = ordered_json::object();
    if (!layer.empty()) args["layer"] = layer;
    if (!param.empty()) args["param"] = param;
    if (span.computing > 0) args["backward_us"] = static_cast<double>(span.computing) / 1e3;
    const std::string& of = param.empty() ? layer : param;
    Span(StrCat(of, of.empty() ? "" : " ", NameOf(span.kind)), NameOf(span.kind), span.time, track,
         args);
  }
  ordered_json& events() { return events_; }

 private:
  const StepTrace& trace_;
  ordered_json events_ = ordered_json::array();
};

// Calls span(item, track) for all items, each on the first track from `track` on that is free.
// Returns the number of tracks.
template <typename Item, typename Span>
int PutInTracks(std::vector<Item> items, int track, const Span& span) {
  std::ranges::sort(items, {}, [](const Item& item) { return item.time.from; });
  std::vector<int64_t> ends;
  for (const Item& item : items) {
    const auto free =
        std::ranges::find_if(ends, [&](int64_t end) { return end <= item.time.from; });
    const auto place = static_cast<int>(free - ends.begin());
    if (free == ends.end()) ends.emplace_back();
    ends[place] = item.time.to;
    span(item, track + place);
  }
  return static_cast<int>(ends.size());
}

// Returns the microseconds from the begin of rank 0's step to that of `trace`; none: the clocks
// differ.
std::optional<double> BeginAfter(const RankTrace& first, const RankTrace& trace) {
  if (trace.clock.empty() || trace.clock != first.clock) return {};
  return (static_cast<double>(trace.begin) - static_cast<double>(first.begin)) / 1e3;
}

}  // namespace

ordered_json TraceEvents(const StepTrace& trace) {
  EventList events(trace);
  const int workers = static_cast<int>(trace.workers.size());
  for (int worker = 0; worker < workers; ++worker) events.Worker(worker);
  const int updates = PutInTracks(
      trace.updates, workers, [&](const TraceSpan& span, int track) { events.Span(span, track); });
  const int first = workers + updates;
  const int flights =
      PutInTracks(trace.flights, first, [&](const StepTrace::Flight& flight, int track) {
        const std::string& param = trace.params[flight.param];
        events.Span(param + " on its way", NameOf(TraceSpan::kExchange), flight.time, track,
                    {{"param", param}, {"step", flight.step}});
      });
  for (int i = 0; i < updates; ++i) events.Name("thread_name", workers + i, "updates");
  for (int i = 0; i < flights; ++i) events.Name("thread_name", first + i, "gradients on their way");
  return std::move(events.events());
}

std::string TraceJson(const std::vector<RankTrace>& ranks) {
  std::string text;
  const auto add = [&](const ordered_json& event) {
    text += (text.empty() ? "" : ",") + JsonText(event) + "\n";
  };
  for (int rank = 0; rank < std::ssize(ranks); ++rank) {
    const RankTrace& trace = ranks[rank];
    if (trace.events.empty()) continue;
    const std::optional<double> after = rank == 0 ? 0.0 : BeginAfter(ranks[0], trace);
    const std::string more = after ? "" : StrCat(" on ", trace.host, ", put where rank 0 begins");
    ordered_json name = NameEvent("process_name", 0, StrCat("rank ", rank, more));
    name["pid"] = rank;
    add(name);
    for (ordered_json event : trace.events) {
      event["pid"] = rank;
      if (event.contains("ts")) event["ts"] = event["ts"].get<double>() + after.value_or(0);
      add(event);
    }
  }
  return "{\"traceEvents\":[\n" + text + "],\"displayTimeUnit\":\"ms\"}\n";
}

}  // namespace singa
