// Failpoints: named places where a test has the program die, stop, wait or fail. They are there in
// builds with SINGA_TESTS; in others SINGA_FAILPOINT is nothing. Any thread may pass one.
//
//   SINGA_FAILPOINTS=server_applied_update/1=kill@7,stub_got_message=delay:50@3+
//
//   POINT[/RANK]=kill|stop|error|delay:MS[@N[+]], separated by commas
//
// In the process of RANK, or in each, the N-th time that it is passed (1 unless given), or each
// time from then on: kill and stop send SIGKILL and SIGSTOP to the process, error throws an Error
// that names the point. A line on stderr says what happens, the first time. Processes that a
// supervisor starts again have no failpoints.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/failpoint_build.h"
#include "singa/base/error.h"

namespace singa {

// Where they are: name, place.
inline constexpr auto kFailpoints = std::to_array<std::string_view>({
    "checkpoint_before_rename",   // it is on the disk, under a name that no reader knows
    "checkpoint_after_rename",    // and the folder is not synchronized
    "checkpoint_before_removal",  // old ones have got names that no reader knows
    "client_pushed_gradient",     // of one slice, maybe to travel with others
    "follower_comes",             // to find rank 0 and the others
    "follower_ended",             // was told that the job has ended
    "follower_told",              // by rank 0 what to do next
    "group_begins",               // all processes are ready, and it has no values yet
    "leader_collected",           // all that a checkpoint needs
    "leader_ended",               // all others were told that the job has ended
    "leader_loads",               // what it trains; others may come already
    "leader_tests",               // while the others wait for its end
    "rendezvous_heard",           // a process hears where others are
    "server_applied_update",      // of one slice, and has not answered
    "stub_got_message",           // handed on, not acknowledged
});

constexpr size_t FailpointIndex(std::string_view name) {
  for (size_t i = 0; i < kFailpoints.size(); ++i)
    if (kFailpoints[i] == name) return i;
  throw "no such failpoint";
}

#if SINGA_HAS_FAILPOINTS

// What `text` says, in place of what was set before; "": nothing. Before other threads. Throws
// Error, kExitUsage.
void SetFailpoints(const std::string& text);
// As the environment says.
void ReadFailpoints();
// This process's, 0 unless set.
void SetFailpointRank(int rank);
// Processes that this one starts have none.
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
