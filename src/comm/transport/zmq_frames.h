// Sends and receives packets as ZeroMQ messages of several frames. Large frames are not copied.
#pragma once

#include <string>
#include <zmq.hpp>

#include "comm/transport/transport.h"

namespace singa {

enum class Sent {
  kYes,
  kQueueFull,   // or a DEALER has no connection
  kNoSuchPeer,  // a ROUTER knows no such peer
};

// Sends a packet without waiting. `to`: the routing id, for a ROUTER; empty for a DEALER. REQUIRES:
// packet has a frame.
Sent SendFrames(zmq::socket_t* socket, const std::string& to, const Packet& packet);

struct Received {
  std::string from;     // routing id, at a ROUTER
  std::string user;     // at a ROUTER: the rank that the gate found
  std::string peer;     // at a DEALER: routing id of the other side's socket
  int descriptor = -1;  // at a ROUTER, if the first frame is empty: of the connection
  Packet packet;
  bool too_many_frames = false;  // the packet was dropped, and is empty
};

// Takes a message that has come to a socket of `type`. Returns false if there is none. Drops the
// packet of a message with more than `max_frames` frames after the routing id. The data of a frame
// is aligned for floats.
bool ReceiveFrames(zmq::socket_t* socket, zmq::socket_type type, int max_frames,
                   Received* received);

}  // namespace singa
