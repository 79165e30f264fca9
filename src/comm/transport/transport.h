// Transport carries packets between the processes of a job, by their ranks. It may lose, repeat,
// delay or reorder packets, and may hand on packets that a peer made up. ReliableChannel
// (reliable_channel.h) makes messages of them that arrive once and in order. One thread uses it,
// the stub's.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/message/message.h"

namespace singa {

using Packet = std::vector<Frame>;

// TransportEvents receives a transport's packets and news.
class TransportEvents {
 public:
  virtual ~TransportEvents() = default;
  // Takes a packet from the process that is authenticated as `rank`.
  virtual void OnPacket(int rank, Packet packet) = 0;
  // A connection to `rank` stands, for the first time or again.
  virtual void OnConnected(int rank) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Returns false, and drops the packet, if `rank` cannot take it now (no connection, or a full
  // queue).
  virtual bool Send(int rank, const Packet& packet) = 0;
  // Waits until something arrives, Wake is called, or steady time `until` (Clock::Now) is reached;
  // then hands on the packets that have arrived.
  virtual void Poll(int64_t until, TransportEvents* events) = 0;
  // Ends the Poll that runs, or the next one. Any thread may call it.
  virtual void Wake() = 0;
};

}  // namespace singa
