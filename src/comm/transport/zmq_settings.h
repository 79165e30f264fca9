// How every socket between processes is set up, in one place.
#pragma once

#include <cstdint>
#include <string>
#include <zmq.hpp>

#include "singa/base/error.h"

namespace singa {

struct SocketSettings {
  // A frame that is larger ends its connection before it is read.
  int64_t max_frame_bytes = (512 << 10) + (64 << 10);  // of a slice, and what stands around it
  int queue = 256;          // messages that wait for one peer, and that one peer lets wait here
  int heartbeat_ms = 1000;  // between signs of life of a connection
  int silent_ms = 5000;     // without any: it is closed
  int handshake_ms = 3000;  // to authenticate in
  int linger_ms = 1000;     // for what is still to be sent, at the end
  int reconnect_ms = 50, reconnect_most_ms = 1000;
  bool ipv6 = false;
};

void Apply(const SocketSettings& settings, zmq::socket_t* socket);

// `what` ("a socket") could not be made, by the value of errno. kExitCantCreate.
Error CannotMake(const std::string& what, int error);

// Throws Error where the system refuses it a descriptor.
zmq::context_t MakeContext(int io_threads, int most_sockets);

// Of `type` in `context`, without settings. Throws Error where the limit of open files is reached.
zmq::socket_t MakeSocket(zmq::context_t* context, int type);

// An option of an integer or a text that ends the program where ZeroMQ does not take it.
void SetOption(zmq::socket_t* socket, int option, int value);
void SetOption(zmq::socket_t* socket, int option, const std::string& value);

}  // namespace singa
