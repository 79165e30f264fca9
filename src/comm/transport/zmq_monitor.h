// ZmqMonitor receives ZeroMQ's events of a socket's connections.
#pragma once

#include <string>
#include <zmq.hpp>

namespace singa {

class ZmqMonitor {
 public:
  // Receives `events` (ZMQ_EVENT_...) of `watched` from now on. REQUIRES: no other monitor of the
  // context has had that name, and `watched` is closed after this object is destroyed.
  ZmqMonitor(zmq::context_t* context, zmq::socket_t* watched, int events, const std::string& name);
  ~ZmqMonitor();
  ZmqMonitor(const ZmqMonitor&) = delete;
  ZmqMonitor& operator=(const ZmqMonitor&) = delete;

  zmq::socket_t* socket() { return &socket_; }
  // Returns the next event (ZMQ_EVENT_...); 0: there is none.
  int Next();

 private:
  void* const watched_;
  zmq::socket_t socket_;
};

}  // namespace singa
