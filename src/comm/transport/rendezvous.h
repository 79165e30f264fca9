// Rendezvous lets the processes of a job find each other. All know the endpoint of rank 0, the
// meeting point. Each other process tells rank 0 where it listens (kHello). When all have come,
// rank 0 tells each where all are (kWelcome). A process that restarts elsewhere sends kHello again,
// and rank 0 tells all anew. Messages must arrive once and in order. One thread uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/thread/clock.h"
#include "comm/message/message.h"
#include "comm/transport/endpoint.h"

namespace singa {

// Most bytes of the text of a process's endpoint; [ADDRESS%INTERFACE]:PORT has 57 at most. kWelcome
// then has room for kMostProcesses endpoints (keys.h).
inline constexpr size_t kMostEndpointBytes = 60;

// Says where a process runs, for people.
struct HostAndPid {
  static constexpr size_t kMostHostBytes = 256;

  std::string host;  // printable; "": not known
  int64_t pid = 0;
  bool operator==(const HostAndPid&) const = default;

  static HostAndPid OfThisProcess();
};

class Rendezvous {
 public:
  // `own`: where this process listens. `meeting`: where rank 0 is. `timeout`: nanoseconds from now
  // in which all have to come to rank 0, or in which the others must hear of rank 0. The pointers
  // stay the caller's.
  Rendezvous(int rank, int processes, const Endpoint& own, const Endpoint& meeting, int64_t timeout,
             const Clock* clock, Outbox* outbox);

  // Notes that a connection to `rank` stands: the first one, or one to a new incarnation.
  void OnConnected(int rank);
  // Takes a kHello or kWelcome from the process that is authenticated as `from`. Returns true if it
  // changed endpoints() and complete() holds. Messages that make no sense are dropped.
  bool OnMessage(int from, const WireMessage& message);
  // Starts the timeout anew. Rank 0 calls it when it has loaded what it trains, the others when
  // they have heard of rank 0.
  void Renew() { start_ = clock_->Now(); }

  // Returns whether every process has come.
  bool complete() const { return complete_; }
  // Returns whether `rank` can be told something: at rank 0 a process that has come, at others rank
  // 0 once a connection to it stood; when complete(), all.
  bool Reached(int rank) const { return endpoints_[rank].port != 0 || (rank == 0 && met_); }
  // Returns the endpoints by rank. REQUIRES: complete().
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  // Returns at rank 0 where each process runs, as its last kHello says, by rank.
  const std::vector<HostAndPid>& hosts() const { return hosts_; }
  int64_t dropped() const { return dropped_; }

  // Returns when CheckTime is to be called.
  int64_t deadline() const;
  // Throws PeerError, which names the missing processes, if the time is over.
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
