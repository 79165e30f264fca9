// ZmqRank and Ranks are processes of a job as objects of one thread, with real sockets on loopback.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/transport/zmq_transport.h"
#include "support/comm/text_frame.h"

namespace singa {

inline const Clock& RealClock() {
  static const SteadyClock clock;
  return clock;
}

inline constexpr int64_t kMs = 1'000'000;  // in nanoseconds

// Arrived is a packet as texts.
struct Arrived {
  int rank;
  std::vector<std::string> frames;
  bool operator==(const Arrived&) const = default;
};

class Recorder final : public TransportEvents {
 public:
  void OnPacket(int rank, Packet packet) override {
    Arrived arrived{rank, {}};
    for (const Frame& frame : packet) arrived.frames.push_back(TextOf(frame));
    packets.push_back(std::move(arrived));
  }
  void OnConnected(int rank) override { connected.push_back(rank); }

  std::vector<Arrived> packets;
  std::vector<int> connected;
};

inline ZmqOptions OptionsOf(int rank, const JobSecrets& secrets,
                            Security security = Security::kAuto) {
  ZmqOptions options;
  options.rank = rank;
  options.processes = static_cast<int>(secrets.keys.size());
  options.secrets = secrets.ForRank(rank);
  options.security = security;
  return options;
}

struct ZmqRank {
  explicit ZmqRank(const ZmqOptions& options) : transport(options, &RealClock()) {}
  void Poll(int64_t ms = 5) { transport.Poll(RealClock().Now() + ms * kMs, &recorder); }

  ZmqTransport transport;
  Recorder recorder;
};

// Polls all ranks until `done`, for at most `ms`. The default is long enough for the busiest
// machine. Returns whether it is done.
inline bool PollUntil(const std::vector<ZmqRank*>& ranks, const std::function<bool()>& done,
                      int64_t ms = 60'000) {
  const int64_t end = RealClock().Now() + ms * kMs;
  while (!done() && RealClock().Now() < end)
    for (ZmqRank* rank : ranks) rank->Poll(1);
  return done();
}

// Ranks are all ranks of a job, connected with each other.
class Ranks {
 public:
  explicit Ranks(int processes, Security security = Security::kAuto)
      : secrets(JobSecrets::Make(processes)) {
    for (int rank = 0; rank < processes; ++rank)
      all.push_back(std::make_unique<ZmqRank>(OptionsOf(rank, secrets, security)));
    for (auto& from : all)
      for (int to = 0; to < processes; ++to)
        from->transport.Connect(to, all[to]->transport.endpoint());
  }

  ZmqRank& operator[](int rank) { return *all[rank]; }
  std::vector<ZmqRank*> Pointers() const {
    std::vector<ZmqRank*> pointers;
    for (const auto& rank : all) pointers.push_back(rank.get());
    return pointers;
  }
  bool AllConnected() const {
    for (const auto& from : all)
      for (size_t to = 0; to < all.size(); ++to)
        if (all[to] != from && !from->transport.connected(static_cast<int>(to))) return false;
    return true;
  }
  bool Meet() {
    return PollUntil(Pointers(), [&] { return AllConnected(); });
  }

  JobSecrets secrets;
  std::vector<std::unique_ptr<ZmqRank>> all;
};

}  // namespace singa
