#include "cluster/liveness/stall_detector.h"

#include <algorithm>

#include "base/thread/clock.h"
#include "cluster/protocol/seconds.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

bool IsOwnWork(Activity activity) { return activity >= Activity::kReading; }

// Returns the words after "has stood still for 3.0 s ".
std::string PlaceText(Activity activity, const std::string& layer) {
  switch (activity) {
    case Activity::kBetween:
      return "between two steps";
    case Activity::kAwaitsWorkers:
      return "waiting for the other workers of its group";
    case Activity::kAwaitsServers:
      return "waiting for values of servers";
    case Activity::kAwaitsProcesses:
      return "waiting for the other processes of its group";
    case Activity::kReading:
      return "reading data for layer " + layer;
    case Activity::kFeature:
      return "in layer " + layer;
    case Activity::kGradient:
      return "in the gradient of layer " + layer;
    case Activity::kUpdating:
      return "updating params";
    case Activity::kEvaluating:
      return "in layer " + layer + " of a test or validation";
    case Activity::kMetrics:
      return "writing metrics";
    case Activity::kCheckpoint:
      return "writing a checkpoint";
    case Activity::kServing:
      return "handling a message";
    case Activity::kStartingMpi:
      return "in MPI_Init";
  }
  return "";
}

std::string PlaceOf(const ActivityMark& mark, Activity activity) {
  const std::string* const layer = mark.layer();
  return StrCat(PlaceText(activity, layer ? "\"" + *layer + "\"" : ""), ", step ", mark.step());
}

}  // namespace

StallDetector::StallDetector(int64_t timeout)
    : timeout_(timeout), pause_(std::clamp(timeout / 8, 50 * kMillisecond, kSecond)) {}

std::optional<std::string> StallDetector::Look(int64_t now) {
  const int64_t passed = looked_ < 0 ? 0 : now - looked_;
  const int64_t late = passed > pause_ + timeout_ / 4 ? passed - pause_ : 0;
  looked_ = now;
  const Watched* worst = nullptr;
  for (Watched& one : watched_) {
    const ActivityMark::State state = one.mark->state();
    one.since += late;
    if (state.count != one.seen.count || one.since == 0) one.since = now;
    one.seen = state;
    const bool stalled = IsOwnWork(state.activity) && now - one.since >= timeout_;
    if (stalled && (!worst || one.since < worst->since)) worst = &one;
  }
  if (!worst) return {};
  return StrCat(worst->name, " has stood still for ", Seconds(now - worst->since), " ",
                PlaceOf(*worst->mark, worst->seen.activity),
                "; where that may take longer, raise cluster.stall_timeout, ", timeout_ / kSecond,
                " s");
}

uint64_t StallDetector::progress() const {
  uint64_t sum = 0;
  for (const Watched& one : watched_) sum += one.seen.count;
  return sum;
}

std::string StallDetector::Describe(int64_t now) const {
  std::string text;
  for (const Watched& one : watched_)
    text += StrCat(text.empty() ? "" : "\n", one.name, ": ", PlaceOf(*one.mark, one.seen.activity),
                   ", for ", Seconds(now - one.since));
  return text;
}

}  // namespace singa
