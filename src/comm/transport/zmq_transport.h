// ZmqTransport is a Transport over ZeroMQ's tcp connections. In each pair of processes the one of
// the higher rank connects to the other. Peers are authenticated before anything that they send is
// read: by CURVE, which encrypts, or on one machine by the job's token (zmq_gate.h). One thread
// uses it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/system/descriptor.h"
#include "base/thread/clock.h"
#include "comm/transport/transport.h"
#include "comm/transport/zmq_dealer.h"
#include "comm/transport/zmq_options.h"
#include "comm/transport/zmq_router.h"

namespace singa {

class ZmqTransport final : public Transport {
 public:
  // Starts to listen. Throws Error: 73 if the port is in use or too few files may be open, 77
  // without permission or keys, 78 if the address is not this machine's. `clock` must be real, and
  // outlive this.
  ZmqTransport(ZmqOptions options, const Clock* clock);
  ~ZmqTransport() override;

  // Returns the endpoint that others connect to.
  const Endpoint& endpoint() const { return router_->endpoint(); }
  // Connects to `endpoint`, where `rank` is from now on. Does nothing for higher ranks, whose
  // processes connect here. May ask a name server: give addresses where a wait matters.
  void Connect(int rank, const Endpoint& endpoint);

  // REQUIRES: the first frame is not empty, or there are others.
  bool Send(int rank, const Packet& packet) override;
  void Poll(int64_t until, TransportEvents* events) override;
  void Wake() override;

  bool connected(int rank) const;
  const ZmqCounts& counts() const { return counts_; }

 private:
  // Waits for a socket, Wake or `until`. Returns whether Wake was called.
  bool Wait(int64_t until);
  int Receive(TransportEvents* events);

  ZmqOptions options_;  // constant after construction
  const Clock* clock_;
  ZmqCounts counts_;
  Descriptor wake_;  // an eventfd
  zmq::context_t context_;
  std::unique_ptr<ZmqRouter> router_;
  std::vector<std::unique_ptr<ZmqDealer>> dealers_;  // of ranks 0 to options_.rank - 1
};

}  // namespace singa
