// SimChannelProcess is a process of a SimNetwork that uses a channel. Tests of roles derive from
// it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "comm/transport/reliable_channel.h"
#include "support/sim_network.h"

namespace singa {

class SimChannelProcess : public SimProcess, public ChannelEvents {
 public:
  explicit SimChannelProcess(const SimStart& start, const ChannelOptions& options = {},
                             const std::string& job = std::string(kJobIdBytes, 'j'))
      : channel({.job = job,
                 .rank = start.rank,
                 .ranks = start.ranks,
                 .incarnation = start.incarnation},
                start.transport, start.clock, this, options) {}

  ReliableChannel channel;

  void OnPacket(int rank, Packet packet) override { channel.OnPacket(rank, std::move(packet)); }
  void OnConnected(int rank) override { channel.OnConnected(rank); }
  int64_t OnTime() override { return channel.OnTime(); }

  void OnRestarted(int, uint64_t) override {}
  void OnGivenUp(int rank, const std::string& text) override {
    ADD_FAILURE() << "gave " << rank << " up: " << text;
  }
};

// Draws faults of the network and limits of its channels, for one run. No channel gives a peer up.
inline void DrawSimFaults(SimNetwork* network, ChannelOptions* options) {
  SimSchedule& random = network->schedule();
  const auto up_to = [&](double most) { return most * 1e-3 * random.Between(0, 1000); };
  network->faults = {.drop = up_to(0.4),
                     .duplicate = up_to(0.3),
                     .flip = up_to(0.2),
                     .refuse = up_to(0.3),
                     .late = up_to(0.3),
                     .max_late = random.Between(1, 3000) * kSimMillisecond};
  options->window_messages = random.Between(1, 20);
  options->window_bytes = random.Between(100, 3000);
  options->ack_every = static_cast<int>(random.Between(1, 16));
  options->give_up = 0;
}

}  // namespace singa
