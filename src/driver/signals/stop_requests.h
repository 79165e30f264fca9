// StopRequests decides what a signal that asks a job to stop means after earlier signals.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/thread/clock.h"

namespace singa {

// A SIGINT that comes sooner after the first request belongs to that request: shells, `timeout` and
// launchers send the signal both to a process group and to its processes. A person needs longer to
// read the answer to Ctrl-C and press it again.
constexpr int64_t kOneRequest = 500 * kMillisecond;

// Any thread and any signal handler may use it.
class StopRequests {
 public:
  enum class Meaning { kStop, kNothingNew, kEndAtOnce };
  enum class Source { kOthers, kSupervisor };

  // Returns the meaning of `signal` at `now`, in nanoseconds of the steady clock. A SIGINT means
  // kEndAtOnce only if the same source has asked before, by any signal. A supervisor may pass on,
  // much later, a signal that its processes have also received.
  Meaning Note(int signal, Source from, int64_t now);

 private:
  static constexpr int64_t kNever = -1;
  static_assert(std::atomic<int64_t>::is_always_lock_free);

  std::array<std::atomic<int64_t>, 2> first_ = {kNever, kNever};  // times by source
};

// Tells the user on stderr what Ctrl-C does.
void SayThatTheJobStops();
void SayThatItEndsAtOnce();

}  // namespace singa
