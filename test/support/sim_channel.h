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

}  // namespace singa
