#include "driver/job/stop_requests.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

namespace singa {
namespace {

constexpr std::string_view kStops =
    "singa: the job stops after this step, with a checkpoint; Ctrl-C again ends it without\n";
constexpr std::string_view kEnds = "singa: ending at once, without a checkpoint\n";

const bool on_terminal = ::isatty(STDERR_FILENO) != 0;  // where a line of progress may stand

void AnswerOnStderr(std::string_view line) {
  const int saved = errno;
  const bool begun = !on_terminal || ::write(STDERR_FILENO, "\n", 1) == 1;
  // A reader that has gone misses it.
  [[maybe_unused]] const bool said = begun && ::write(STDERR_FILENO, line.data(), line.size()) > 0;
  errno = saved;
}

}  // namespace

StopRequests::Meaning StopRequests::Take(int signal, Source from, int64_t now) {
  const bool any = first_[0] != kNever || first_[1] != kNever;
  int64_t first = kNever;
  if (first_[static_cast<size_t>(from)].compare_exchange_strong(first, now))
    return any ? Meaning::kNothingNew : Meaning::kStop;
  return signal == SIGINT && now - first >= kOneRequest ? Meaning::kEndAtOnce
                                                        : Meaning::kNothingNew;
}

void SayThatTheJobStops() { AnswerOnStderr(kStops); }
void SayThatItEndsAtOnce() { AnswerOnStderr(kEnds); }

}  // namespace singa
