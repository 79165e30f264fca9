// Rendezvous: how the processes of a job find each other. Rank 0, the meeting point, is at an
// endpoint that all know; each other process tells it where it listens (kHello), and when all have
// come, each is told where all are (kWelcome). Who restarts elsewhere says so again, and all are
// told anew. Messages arrive once and in order. One thread uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/thread/clock.h"
#include "comm/message/message.h"
#include "comm/transport/endpoint.h"

namespace singa {

// Of a process, as text, in bytes; [ADDRESS%INTERFACE]:PORT has 57 at most. kWelcome then has room
// for those of kMostProcesses (keys.h).
inline constexpr size_t kMostEndpointBytes = 60;

// Where a process runs, for people.
struct HostAndPid {
  static constexpr size_t kMostHostBytes = 256;

  std::string host;  // printable; "": not known
  int64_t pid = 0;
  bool operator==(const HostAndPid&) const = default;

  static HostAndPid OfThisProcess();
};

class Rendezvous {
 public:
  // `own`: where this process listens. `meeting`: where rank 0 is. `timeout`: nanoseconds, from
  // now, that all have to come to rank 0, or that others wait for a word of it. The pointers stay
  // the caller's.
  Rendezvous(int rank, int processes, const Endpoint& own, const Endpoint& meeting, int64_t timeout,
             const Clock* clock, Outbox* outbox);

  // A connection to `rank` stands, for the first time, or to a new life of it.
  void OnConnected(int rank);
  // A kHello or kWelcome from the process that is authenticated as `from`. True: it changed
  // endpoints(), and complete() holds. What makes no sense is dropped.
  bool OnMessage(int from, const WireMessage& message);
  // The time counts anew from now: rank 0 has loaded what it trains; others have heard of rank 0.
  void Renew() { start_ = clock_->Now(); }

  // Whether every process has come.
  bool complete() const { return complete_; }
  // Whether `rank` can be told something: at rank 0 who has come, at others rank 0 once a
  // connection to it stood; all when complete().
  bool Reached(int rank) const { return endpoints_[rank].port != 0 || (rank == 0 && met_); }
  // By rank. REQUIRES: complete().
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  // At rank 0: where each process runs, as its last kHello says, by rank.
  const std::vector<HostAndPid>& hosts() const { return hosts_; }
  int64_t dropped() const { return dropped_; }

  // When CheckTime is to be called.
  int64_t deadline() const;
  // Throws PeerError, which says who has not come, where the time is over.
  void CheckTime() const;

 private:
  bool OnHello(int from, const WireMessage& message);
  bool OnWelcome(const WireMessage& message);
  void SayHello();
  void Welcome(int rank);
  [[noreturn]] void ThrowMissing() const;

  int rank_;
  Endpoint meeting_;
  int64_t start_, timeout_;
  const Clock* clock_;
  Outbox* outbox_;
  std::vector<Endpoint> endpoints_;  // by rank; port 0: not known yet
  std::vector<HostAndPid> hosts_;    // by rank
  bool complete_ = false, met_ = false;
  int64_t dropped_ = 0;
};

}  // namespace singa
