#include "driver/bench/rank_trace.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/system/host_name.h"
#include "base/text/json_text.h"
#include "driver/bench/trace_json.h"
#include "io/checkpoint/json_text.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

bool IsEvent(const nlohmann::json& event) {
  return event.is_object() && (!event.contains("ts") || event["ts"].is_number());
}

bool IsTrace(const nlohmann::json& trace) {
  if (!trace.is_object() || trace.size() != 4) return false;
  for (const char* name : {"host", "clock", "begin", "events"})
    if (!trace.contains(name)) return false;
  const nlohmann::json& events = trace["events"];
  return trace["host"].is_string() && trace["clock"].is_string() &&
         trace["begin"].is_number_integer() && events.is_array() &&
         std::ranges::all_of(events, IsEvent);
}

// Returns the name of this process's steady clock. A container may have a time namespace, whose
// clock is another one.
std::string ClockName() {
  std::string boot = BootId();
  struct stat status;
  if (boot.empty() || ::stat("/proc/self/ns/time", &status) != 0) return boot;
  return StrCat(boot, ".", status.st_ino);
}

}  // namespace

RankTrace RankTraceOf(const StepTrace& trace) {
  return {HostName(), ClockName(), trace.time.from, TraceEvents(trace)};
}

std::string ToText(const RankTrace& trace) {
  return JsonText(nlohmann::ordered_json{{"host", trace.host},
                                         {"clock", trace.clock},
                                         {"begin", trace.begin},
                                         {"events", trace.events}}) +
         "\n";
}

RankTrace ParseRankTrace(const std::string& text, int rank) {
  if (text.empty()) return {};
  const std::string name = StrCat("the trace of rank ", rank);
  const nlohmann::json trace = ParseJson(text, name);
  if (!IsTrace(trace)) throw DataError(name, -1, "has another form");
  return {trace["host"], trace["clock"], trace["begin"], trace["events"]};
}

}  // namespace singa
