// ZmqRouter: where processes of higher ranks connect to this one. Of each the newest connection of
// its newest life counts; others are not listened to.
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
  // Listens. Throws Error where that is not possible.
  ZmqRouter(zmq::context_t* context, const Clock* clock, const ZmqOptions* options,
            ZmqCounts* counts);

  // Where others connect to.
  const Endpoint& endpoint() const { return endpoint_; }
  bool Send(int rank, const Packet& packet);
  bool connected(int rank) const { return !peers_[rank].id.empty(); }

  zmq::socket_t* socket() { return &socket_; }
  zmq::socket_t* monitor() { return monitor_->socket(); }
  zmq::socket_t* gate() { return gate_.socket(); }

  // Answers who asks to be let in, and takes what ZeroMQ tells.
  void Check();
  // Hands on what has come, at most `most` packets; returns how many.
  int Receive(int most, TransportEvents* events);

 private:
  struct Peer {
    std::string id;  // routing id of its connection; empty: there is none
    RoutingId parts;
    std::deque<std::string> past;  // incarnations
    int offences = 0;
  };

  void Bind(const Endpoint& own);
  // The process that sent it; -1: none.
  int SenderOf(const Received& received) const;
  void OnGreeting(int rank, const Received& received, TransportEvents* events);
  void OnOffence(int rank);
  // Its present life is not listened to any more.
  static void Retire(Peer* peer);

  const ZmqOptions* options_;
  ZmqCounts* counts_;
  Endpoint endpoint_;
  bool curve_;
  ZmqGate gate_;  // stands before the socket that it guards
  std::unique_ptr<ConnectionBound> bound_;
  zmq::socket_t socket_;
  std::unique_ptr<ZmqMonitor> monitor_;
  std::vector<Peer> peers_;  // by rank
  Received received_;
};

}  // namespace singa
