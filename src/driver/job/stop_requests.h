// StopRequests: the meaning of a signal that asks a job to stop, after earlier ones.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/thread/clock.h"

namespace singa {

// A SIGINT that follows the first request sooner belongs to it: shells, `timeout` and launchers
// send the signal to a process group and to its processes as well. Nobody reads the answer to
// Ctrl-C and presses it again that fast.
constexpr int64_t kOneRequest = 500 * kMillisecond;

// Any thread and any signal handler may use it.
class StopRequests {
 public:
  enum class Meaning { kStop, kNothingNew, kEndAtOnce };
  enum class Source { kOthers, kSupervisor };

  // `now`: nanoseconds of the steady clock. A SIGINT ends the process at once where the same source
  // has asked before, by whatever signal: a supervisor passes on what its processes may have been
  // sent, too, however late.
  Meaning Take(int signal, Source from, int64_t now);

 private:
  static constexpr int64_t kNever = -1;
  static_assert(std::atomic<int64_t>::is_always_lock_free);

  std::array<std::atomic<int64_t>, 2> first_ = {kNever, kNever};  // by source
};

// Tells the user on stderr what Ctrl-C does.
void SayThatTheJobStops();
void SayThatItEndsAtOnce();

}  // namespace singa
