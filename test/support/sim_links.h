// SimLinksProcess: a process of a SimNetwork that speaks by links. Tests of roles derive from it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "comm/transport/links.h"
#include "support/sim_network.h"

namespace singa {

class SimLinksProcess : public SimProcess, public LinkEvents {
 public:
  explicit SimLinksProcess(const SimStart& start, const LinksOptions& options = {},
                           uint32_t epoch = 1)
      : links({.job = std::string(kJobIdBytes, 'j'),
               .epoch = epoch,
               .rank = start.rank,
               .ranks = start.ranks,
               .incarnation = start.incarnation},
              start.transport, start.clock, this, options) {}

  Links links;

  void OnPacket(int rank, Packet packet) override { links.OnPacket(rank, std::move(packet)); }
  void OnConnected(int rank) override { links.OnConnected(rank); }
  int64_t OnTime() override { return links.OnTime(); }

  void OnRestarted(int, uint64_t) override {}
  void OnGivenUp(int rank, const std::string& text) override {
    ADD_FAILURE() << "gave " << rank << " up: " << text;
  }
};

}  // namespace singa
