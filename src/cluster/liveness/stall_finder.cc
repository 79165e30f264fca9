#include "cluster/liveness/stall_finder.h"

#include <algorithm>

#include "base/thread/clock.h"
#include "cluster/protocol/seconds.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

bool IsOwnWork(Doing doing) { return doing >= Doing::kReading; }

// What stands after "has stood still for 3.0 s ".
std::string Place(Doing doing, const std::string& layer) {
  switch (doing) {
    case Doing::kBetween:
      return "between two steps";
    case Doing::kAwaitsWorkers:
      return "waiting for the other workers of its group";
    case Doing::kAwaitsServers:
      return "waiting for values of servers";
    case Doing::kAwaitsProcesses:
      return "waiting for the other processes of its group";
    case Doing::kReading:
      return "reading data for layer " + layer;
    case Doing::kFeature:
      return "in layer " + layer;
    case Doing::kGradient:
      return "in the gradient of layer " + layer;
    case Doing::kUpdating:
      return "updating params";
    case Doing::kEvaluating:
      return "in layer " + layer + " of a test or validation";
    case Doing::kMetrics:
      return "writing metrics";
    case Doing::kCheckpoint:
      return "writing a checkpoint";
    case Doing::kServing:
      return "handling a message";
  }
  return "";
}

std::string PlaceOf(const WorkerMark& mark, Doing doing) {
  const std::string* const layer = mark.layer();
  return StrCat(Place(doing, layer ? "\"" + *layer + "\"" : ""), ", step ", mark.step());
}

}  // namespace

StallFinder::StallFinder(int64_t timeout)
    : timeout_(timeout), pause_(std::clamp(timeout / 8, 50 * kMillisecond, kSecond)) {}

std::optional<std::string> StallFinder::Look(int64_t now) {
  const int64_t passed = looked_ < 0 ? 0 : now - looked_;
  const int64_t late = passed > pause_ + timeout_ / 4 ? passed - pause_ : 0;
  looked_ = now;
  const Watched* worst = nullptr;
  for (Watched& one : watched_) {
    const WorkerMark::State state = one.mark->state();
    one.since += late;
    if (state.count != one.seen.count || one.since == 0) one.since = now;
    one.seen = state;
    const bool stalled = IsOwnWork(state.doing) && now - one.since >= timeout_;
    if (stalled && (!worst || one.since < worst->since)) worst = &one;
  }
  if (!worst) return {};
  return StrCat(worst->name, " has stood still for ", Seconds(now - worst->since), " ",
                PlaceOf(*worst->mark, worst->seen.doing),
                "; where that may take longer, raise cluster.stall_timeout, ", timeout_ / kSecond,
                " s");
}

uint64_t StallFinder::progress() const {
  uint64_t sum = 0;
  for (const Watched& one : watched_) sum += one.seen.count;
  return sum;
}

std::string StallFinder::Describe(int64_t now) const {
  std::string text;
  for (const Watched& one : watched_)
    text += StrCat(text.empty() ? "" : "\n", one.name, ": ", PlaceOf(*one.mark, one.seen.doing),
                   ", for ", Seconds(now - one.since));
  return text;
}

}  // namespace singa
