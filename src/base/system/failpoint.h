// Failpoints are named places where a test makes the program die, stop, wait or fail. They exist in
// builds with SINGA_TESTS; in others SINGA_FAILPOINT does nothing. Any thread may pass one.
//
//   SINGA_FAILPOINTS=server_applied_update/1=kill@7,stub_got_message=delay:50@3+
//
//   POINT[/RANK]=kill|stop|error|delay:MS[@N[+]], separated by commas
//
// A failpoint acts in the process of RANK, or in each, at the N-th pass (1 unless given), or with
// "+" also at each later pass. kill and stop send SIGKILL and SIGSTOP to the process, error throws
// an Error that names the point, and delay waits. At the first time a line on stderr says what
// happens. Processes that a supervisor starts again have no failpoints.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/failpoint_build.h"
#include "singa/base/error.h"

namespace singa {

// Names of the failpoints, with their places.
inline constexpr auto kFailpoints = std::to_array<std::string_view>({
    "checkpoint_before_rename",  // the checkpoint is on the disk, under a name that no reader knows
    "checkpoint_after_rename",   // the folder is not synchronized yet
    "checkpoint_before_removal",  // old checkpoints have names that no reader knows
    "client_pushed_gradient",     // pushed one slice, which may wait for others
    "follower_comes",             // begins to look for rank 0 and the others
    "follower_ended",             // was told that the job has ended
    "follower_told",              // heard from rank 0 what to do next
    "group_begins",               // all processes are ready, and the group has no values yet
    "leader_collected",           // has all that a checkpoint needs
    "leader_ended",               // all others were told that the job has ended
    "leader_loads",               // loads what it trains; others may come already
    "leader_tests",               // runs a test while the others wait for its end
    "rendezvous_heard",           // a process hears where others are
    "server_applied_update",      // updated one slice, and has not answered
    "stub_got_message",           // the message is handed on, but not acknowledged
});

constexpr size_t FailpointIndex(std::string_view name) {
  for (size_t i = 0; i < kFailpoints.size(); ++i)
    if (kFailpoints[i] == name) return i;
  throw "no such failpoint";
}

#if SINGA_HAS_FAILPOINTS

// Sets the failpoints of `text` in place of earlier ones; "": none. REQUIRES: no other threads run.
// Throws Error with kExitUsage.
void SetFailpoints(const std::string& text);
// Sets the failpoints of the environment variable.
void ReadFailpoints();
// Sets the rank of this process, which is 0 at first.
void SetFailpointRank(int rank);
// Lets processes that this one starts have no failpoints.
void ForgetFailpoints();

extern std::atomic<bool> failpoints_set;
void PassFailpoint(size_t index);

#define SINGA_FAILPOINT(name)                                         \
  do {                                                                \
    constexpr size_t failpoint_index = ::singa::FailpointIndex(name); \
    if (::singa::failpoints_set.load(std::memory_order_relaxed))      \
      ::singa::PassFailpoint(failpoint_index);                        \
  } while (false)

#else

inline void ReadFailpoints() {}
inline void SetFailpointRank(int) {}
inline void ForgetFailpoints() {}
#define SINGA_FAILPOINT(name) \
  static_assert(::singa::FailpointIndex(name) < ::singa::kFailpoints.size())

#endif

}  // namespace singa
