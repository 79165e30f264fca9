#include "driver/signals/stop_requests.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

namespace singa {
namespace {

constexpr std::string_view kStops =
    "\nsinga: the job stops after this step, with a checkpoint; Ctrl-C again ends it at once\n";
constexpr std::string_view kEnds =
    "\nsinga: ending at once, without a checkpoint; -resume goes on from the last one, if there is "
    "one\n";

const bool on_terminal = ::isatty(STDERR_FILENO) != 0;  // a line of progress may be there

// Writes the line only if stderr accepts it at once, as the thread that takes signals must not wait
// for a reader.
void AnswerOnStderr(std::string_view line) {
  const int saved = errno;
  if (!on_terminal) line.remove_prefix(1);
  pollfd out = {STDERR_FILENO, POLLOUT, 0};
  [[maybe_unused]] const bool said = ::poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) != 0 &&
                                     ::write(STDERR_FILENO, line.data(), line.size()) > 0;
  errno = saved;
}

}  // namespace

StopRequests::Meaning StopRequests::Note(int signal, Source from, int64_t now) {
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
