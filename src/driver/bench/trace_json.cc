#include "driver/bench/trace_json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "driver/bench/report_text.h"

namespace singa {
namespace {

constexpr int kRank = 0;  // the process that measures

// Collects events. Events that were added to a lane overlap no other event of their track.
class TraceEvents {
 public:
  explicit TraceEvents(const StepTrace& trace) : trace_(trace) {}

  void Name(const char* what, int track, const std::string& name) {
    Add({{"name", what}, {"ph", "M"}, {"pid", kRank}, {"tid", track}, {"args", {{"name", name}}}});
  }
  void Span(const std::string& name, const char* kind, const Interval& time, int track,
            const nlohmann::ordered_json& args) {
    Add({{"name", name},
         {"cat", kind},
         {"ph", "X"},
         {"ts", static_cast<double>(time.from - trace_.time.from) / 1e3},
         {"dur", static_cast<double>(time.length()) / 1e3},
         {"pid", kRank},
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
    nlohmann::ordered_json args = nlohmann::ordered_json::object();
    if (!layer.empty()) args["layer"] = layer;
    if (!param.empty()) args["param"] = param;
    if (span.computing > 0) args["backward_us"] = static_cast<double>(span.computing) / 1e3;
    const std::string& of = param.empty() ? layer : param;
    Span(StrCat(of, of.empty() ? "" : " ", NameOf(span.kind)), NameOf(span.kind), span.time, track,
         args);
  }
  std::string Text() const {
    std::string text = "{\"traceEvents\":[\n";
    for (const std::string& line : lines_) text += (&line == &lines_[0] ? "" : ",") + line;
    return text + "],\"displayTimeUnit\":\"ms\"}\n";
  }

 private:
  void Add(const nlohmann::ordered_json& event) { lines_.push_back(JsonLine(event)); }

  const StepTrace& trace_;
  std::vector<std::string> lines_;
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

}  // namespace

std::string TraceJson(const StepTrace& trace) {
  TraceEvents events(trace);
  events.Name("process_name", 0, StrCat("rank ", kRank));
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
  return events.Text();
}

}  // namespace singa
