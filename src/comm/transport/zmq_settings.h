// The settings of every socket between processes.
#pragma once

#include <cstdint>
#include <string>
#include <zmq.hpp>

#include "singa/base/error.h"

namespace singa {

struct SocketSettings {
  // A larger frame ends its connection before it is read.
  int64_t max_frame_bytes = (512 << 10) + (64 << 10);  // a slice, and room for its header
  int queue = 256;          // most messages that wait for one peer, and most that wait from it
  int heartbeat_ms = 1000;  // between two heartbeats of a connection
  int silent_ms = 5000;     // without a heartbeat, before the connection is closed
  int handshake_ms = 3000;  // limit of authentication
  int linger_ms = 1000;     // limit of sending the rest at the end
  int reconnect_ms = 50, reconnect_most_ms = 1000;
  bool ipv6 = false;
};

void Apply(const SocketSettings& settings, zmq::socket_t* socket);

// Returns the error, of kExitCantCreate, that `what` ("a socket") cannot be made. error: errno.
Error CannotMake(const std::string& what, int error);

// Throws Error if the system refuses a descriptor.
zmq::context_t MakeContext(int io_threads, int most_sockets);

// Makes a socket without settings. Throws Error if the limit of open files is reached.
zmq::socket_t MakeSocket(zmq::context_t* context, int type);

// Sets an option to an integer or a text. Ends the program if ZeroMQ does not take it.
void SetOption(zmq::socket_t* socket, int option, int value);
void SetOption(zmq::socket_t* socket, int option, const std::string& value);

}  // namespace singa
