// ZmqMonitor receives ZeroMQ's events of a socket's connections.
#pragma once

#include <string>
#include <zmq.hpp>

namespace singa {

class ZmqMonitor {
 public:
  // Receives `events` (ZMQ_EVENT_...) of `watched` from now on. REQUIRES: no other monitor of the
  // context has had that name.
  ZmqMonitor(zmq::context_t* context, zmq::socket_t* watched, int events, const std::string& name);

  zmq::socket_t* socket() { return &socket_; }
  // Returns the next event (ZMQ_EVENT_...); 0: there is none.
  int Next();

 private:
  zmq::socket_t socket_;
};

}  // namespace singa
