#include "base/system/failpoint.h"

#if SINGA_HAS_FAILPOINTS

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "base/text/edit_distance.h"
#include "base/text/parse_number.h"

namespace singa {
namespace {

constexpr char kVariable[] = "SINGA_FAILPOINTS";
constexpr int64_t kMostNumber = 1'000'000'000;

struct Failpoint {
  enum Action { kKill, kStop, kError, kDelay };
  size_t index = 0;
  int64_t rank = -1;  // -1: all ranks
  Action action = kKill;
  int64_t delay_ms = 0;
  int64_t from = 1;     // the first pass that counts
  bool onward = false;  // and all later ones
};

std::vector<Failpoint> points;
std::array<std::atomic<int64_t>, kFailpoints.size()> passes;
std::atomic<int> own_rank{0};

[[noreturn]] void Fail(const std::string& what) {
  throw Error(kExitUsage, Printable(StrCat(kVariable, ": ", what)));
}

int64_t NumberOf(const std::string& text, int64_t least) {
  const std::optional<int64_t> number = ParseNumber<int64_t>(text);
  if (!number || *number < least || *number > kMostNumber)
    Fail(StrCat("must be a number from ", least, " to ", kMostNumber, ", is \"", text, "\""));
  return *number;
}

// Cuts off the first `mark` and the text behind it. Returns that text; "" if there is no `mark`.
std::string CutOff(std::string* text, char mark) {
  const size_t at = text->find(mark);
  if (at == std::string::npos) return "";
  std::string behind = text->substr(at + 1);
  text->resize(at);
  if (behind.empty()) Fail(StrCat("nothing stands behind \"", *text, mark, "\""));
  return behind;
}

size_t IndexOf(const std::string& name) {
  for (size_t i = 0; i < kFailpoints.size(); ++i)
    if (kFailpoints[i] == name) return i;
  const std::vector<std::string> known(kFailpoints.begin(), kFailpoints.end());
  Fail(StrCat("there is no failpoint \"", name, "\"", DidYouMean(name, known)));
}

void SetAction(const std::string& action, const std::string& ms, Failpoint* point) {
  if (action == "kill" && ms.empty()) {
    point->action = Failpoint::kKill;
  } else if (action == "stop" && ms.empty()) {
    point->action = Failpoint::kStop;
  } else if (action == "error" && ms.empty()) {
    point->action = Failpoint::kError;
  } else if (action == "delay" && !ms.empty()) {
    point->action = Failpoint::kDelay;
    point->delay_ms = NumberOf(ms, 0);
  } else {
    Fail(StrCat("an action must be kill, stop, error or delay:MS, is \"", action,
                ms.empty() ? "" : ":", ms, "\""));
  }
}

void Add(std::string name) {
  std::string action = CutOff(&name, '='), rank = CutOff(&name, '/');
  std::string pass = CutOff(&action, '@'), ms = CutOff(&action, ':');
  Failpoint& point = points.emplace_back();
  point.index = IndexOf(name);
  if (!rank.empty()) point.rank = NumberOf(rank, 0);
  SetAction(action, ms, &point);
  if (!pass.empty() && pass.back() == '+') {
    point.onward = true;
    pass.pop_back();
  }
  if (!pass.empty() || point.onward) point.from = NumberOf(pass, 1);
}

// Prints a line by one call, since other threads may write, and without allocating, since the
// process may be about to end.
void Say(const Failpoint& point, const char* what) {
  char line[120];
  const std::string_view name = kFailpoints[point.index];
  const int size = std::snprintf(line, sizeof line, "singa: failpoint %.*s: %s, pass %lld\n",
                                 static_cast<int>(name.size()), name.data(), what,
                                 static_cast<long long>(point.from));
  if (::write(STDERR_FILENO, line, static_cast<size_t>(size)) < 0) return;
}

void Happen(const Failpoint& point, bool first) {
  static constexpr const char* kWords[] = {"kill", "stop", "error", "delay"};
  if (first) Say(point, kWords[point.action]);
  switch (point.action) {
    case Failpoint::kKill:
      std::raise(SIGKILL);
      break;
    case Failpoint::kStop:
      std::raise(SIGSTOP);
      break;
    case Failpoint::kError:
      throw Error(kExitIo, StrCat("failpoint ", kFailpoints[point.index]));
    case Failpoint::kDelay:
      std::this_thread::sleep_for(std::chrono::milliseconds(point.delay_ms));
      break;
  }
}

}  // namespace

std::atomic<bool> failpoints_set{false};

void SetFailpoints(const std::string& text) {
  failpoints_set = false;
  points.clear();
  for (std::atomic<int64_t>& count : passes) count = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    Add(text.substr(begin, end - begin));
    begin = end + 1;
  }
  failpoints_set = !points.empty();
}

void ReadFailpoints() {
  const char* const text = std::getenv(kVariable);
  if (text) SetFailpoints(text);
}

void SetFailpointRank(int rank) { own_rank = rank; }

void ForgetFailpoints() { ::unsetenv(kVariable); }

void PassFailpoint(size_t index) {
  const int64_t pass = ++passes[index];
  for (const Failpoint& point : points) {
    if (point.index != index || (point.rank >= 0 && point.rank != own_rank)) continue;
    if (pass == point.from || (point.onward && pass > point.from))
      Happen(point, pass == point.from);
  }
}

}  // namespace singa

#endif
