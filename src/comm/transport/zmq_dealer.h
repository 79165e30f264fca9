// ZmqDealer makes the connection from this process to one of a lower rank. Each connection is a new
// socket with a new name, so that the peer never takes it for the one before. A connection stands
// when the peer has answered a greeting.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/thread/clock.h"
#include "comm/transport/transport.h"
#include "comm/transport/zmq_frames.h"
#include "comm/transport/zmq_monitor.h"
#include "comm/transport/zmq_options.h"

namespace singa {

// Returns the packet that only says that a connection stands.
Packet Greeting();
bool IsGreeting(const Packet& packet);

class ZmqDealer {
 public:
  // `incarnation`: of this process. All pointers stay the caller's.
  ZmqDealer(zmq::context_t* context, const Clock* clock, const ZmqOptions* options,
            std::string incarnation, int peer, ZmqCounts* counts);

  // Connects to `to`, where the peer is from now on. Does nothing if this is already known.
  // REQUIRES: IsNumeric(to).
  void Connect(const Endpoint& to);
  bool Send(const Packet& packet);
  bool connected() const { return state_ == State::kUp; }

  // Return the sockets to wait for; null: there is none now.
  zmq::socket_t* socket() { return socket_ ? &*socket_ : nullptr; }
  zmq::socket_t* monitor() { return monitor_ ? monitor_->socket() : nullptr; }
  // Returns the latest time of the next Check.
  int64_t next_check() const { return next_check_; }

  // Handles ZeroMQ's events of the connection, and does the work that is due.
  void Check();
  // Hands on packets that have come, `most` at most; returns how many.
  int Receive(int most, TransportEvents* events);

 private:
  enum class State { kNone, kConnecting, kGreeting, kUp };

  void Open();
  void Close(int64_t open_again);
  void OnEvent(int event);
  bool IsFromPeer(const Received& received);
  void Report(const char* what);

  zmq::context_t* context_;
  const Clock* clock_;
  const ZmqOptions* options_;
  std::string incarnation_, peer_name_;
  int peer_;
  ZmqCounts* counts_;
  std::optional<Endpoint> to_;
  std::optional<zmq::socket_t> socket_;
  std::unique_ptr<ZmqMonitor> monitor_;
  Received received_;
  State state_ = State::kNone;
  bool greeted_ = false;
  int64_t connections_ = 0, opened_at_ = 0, next_check_;
  int offences_ = 0;
  bool reported_ = false;
};

}  // namespace singa
