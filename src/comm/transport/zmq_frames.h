// Packets as messages of several frames, which ZeroMQ sends from where they lie.
#pragma once

#include <string>
#include <zmq.hpp>

#include "comm/transport/transport.h"

namespace singa {

enum class Sent {
  kYes,
  kQueueFull,   // or there is no connection, of a DEALER
  kNoSuchPeer,  // of a ROUTER
};

// `to`: the routing id, for a ROUTER; empty for a DEALER. Never waits. REQUIRES: packet has a
// frame.
Sent SendFrames(zmq::socket_t* socket, const std::string& to, const Packet& packet);

struct Received {
  std::string from;     // routing id, at a ROUTER
  std::string user;     // at a ROUTER: who the gate says it is
  std::string peer;     // at a DEALER: routing id of the other side's socket
  int descriptor = -1;  // at a ROUTER: of the connection; of one empty frame alone
  Packet packet;
  bool too_many_frames = false;  // the packet is empty
};

// Takes a message that has come to a socket of that type, with at most `max_frames` frames after
// the routing id; of others nothing is kept. False: there is none. The data of a frame is aligned
// for floats.
bool ReceiveFrames(zmq::socket_t* socket, zmq::socket_type type, int max_frames,
                   Received* received);

}  // namespace singa
