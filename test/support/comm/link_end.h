// LinkEnd is the channel of one process. A test carries its packets by hand, also repeated, late or
// never.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/comm/link_listener.h"
#include "support/sim_schedule.h"

namespace singa {

inline constexpr char kTestJob[] = "0123456789abcdef";

struct LinkEnd final : Transport, LinkListener {
  LinkEnd(int rank, uint64_t incarnation, const Clock* clock, const ChannelOptions& options = {})
      : self{.job = kTestJob, .rank = rank, .ranks = 4, .incarnation = incarnation},
        channel(self, this, clock, this, options) {}

  bool Send(int rank, const Packet& packet) override {
    if (!open) return false;
    out.emplace_back(rank, packet);
    all.push_back(packet);
    return true;
  }
  void Poll(int64_t, TransportEvents*) override {}
  void Wake() override {}

  // Delivers all packets for `to`, and drops all others.
  void Flush(LinkEnd* to) {
    channel.OnTime();
    for (auto& [rank, packet] : std::exchange(out, {})) {
      if (rank == to->self.rank) to->channel.OnPacket(self.rank, packet);
    }
  }

  // Returns the header of a packet from this process to `to`, with message `seq` of this step.
  PacketHeader Header(const LinkEnd& to, uint64_t seq, int64_t step) const {
    PacketHeader header;
    header.set_version(kWireVersion);
    header.set_job(self.job);
    header.set_from(self.rank);
    header.set_incarnation(self.incarnation);
    header.set_to_incarnation(to.self.incarnation);
    header.set_seq(seq);
    if (seq > 0) *header.mutable_message() = Numbered(step).head;
    return header;
  }

  ProcessIdentity self;
  ReliableChannel channel;
  bool open = true;
  std::vector<std::pair<int, Packet>> out;  // since the last Flush
  std::vector<Packet> all;                  // ever
};

// Carries packets both ways until nothing more is due soon.
inline void Exchange(SimClock* clock, LinkEnd* a, LinkEnd* b) {
  for (int round = 0; round < 12; ++round) {
    clock->now += 10 * kSimMillisecond;
    a->Flush(b);
    b->Flush(a);
  }
}

}  // namespace singa
