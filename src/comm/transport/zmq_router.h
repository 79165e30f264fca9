// ZmqRouter accepts the connections of processes of higher ranks. For each process the newest
// connection of its newest incarnation counts; packets of others are dropped.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/thread/clock.h"
#include "comm/transport/connection_bound.h"
#include "comm/transport/transport.h"
#include "comm/transport/zmq_frames.h"
#include "comm/transport/zmq_gate.h"
#include "comm/transport/zmq_monitor.h"
#include "comm/transport/zmq_options.h"

namespace singa {

class ZmqRouter {
 public:
  // Starts to listen. Throws Error if that is not possible.
  ZmqRouter(zmq::context_t* context, const Clock* clock, const ZmqOptions* options,
            ZmqCounts* counts);

  // Returns the endpoint that others connect to.
  const Endpoint& endpoint() const { return endpoint_; }
  bool Send(int rank, const Packet& packet);
  bool connected(int rank) const { return !peers_[rank].id.empty(); }

  zmq::socket_t* socket() { return &socket_; }
  zmq::socket_t* monitor() { return monitor_->socket(); }
  zmq::socket_t* gate() { return gate_.socket(); }

  // Answers the gate's questions, and handles ZeroMQ's events.
  void Check();
  // Hands on packets that have come, `most` at most; returns how many.
  int Receive(int most, TransportEvents* events);

 private:
  struct Peer {
    std::string id;  // routing id of its connection; empty: there is none
    RoutingId parts;
    std::deque<std::string> past;  // earlier incarnations
    int offences = 0;
  };

  void Bind(const Endpoint& own);
  // Returns the rank of the sender; -1: no process of the job.
  int SenderOf(const Received& received) const;
  void OnGreeting(int rank, const Received& received, TransportEvents* events);
  void OnOffence(int rank);
  // Drops packets of the peer's present incarnation from now on.
  static void Retire(Peer* peer);

  const ZmqOptions* options_;
  ZmqCounts* counts_;
  Endpoint endpoint_;
  bool curve_;
  ZmqGate gate_;  // made before the socket that it guards
  std::unique_ptr<ConnectionBound> bound_;
  zmq::socket_t socket_;
  std::unique_ptr<ZmqMonitor> monitor_;
  std::vector<Peer> peers_;  // by rank
  Received received_;
};

}  // namespace singa
