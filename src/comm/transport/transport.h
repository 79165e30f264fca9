// Transport: carries packets between the processes of a job, by their ranks. It may lose, repeat,
// delay or reorder packets, and may hand on what any peer made up: ReliableChannel
// (reliable_channel.h) makes of it messages that arrive once and in order. Used by one thread, the
// stub's.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/message/message.h"

namespace singa {

using Packet = std::vector<Frame>;

// Who hears what a transport brings.
class TransportEvents {
 public:
  virtual ~TransportEvents() = default;
  // From the process that is authenticated as `rank`.
  virtual void OnPacket(int rank, Packet packet) = 0;
  // A connection to `rank` stands, for the first time or again.
  virtual void OnConnected(int rank) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // False: `rank` cannot take it now (no connection, or its queue is full); the packet is dropped.
  virtual bool Send(int rank, const Packet& packet) = 0;
  // Waits until something arrives, Wake is called, or steady time `until` (Clock::Now) is reached;
  // hands on what has arrived.
  virtual void Poll(int64_t until, TransportEvents* events) = 0;
  // Ends a Poll, the one that runs or the next. Any thread may call.
  virtual void Wake() = 0;
};

}  // namespace singa
