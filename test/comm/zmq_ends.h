// ZmqEnds are the two ends of a connection: the router of process 0, and dealers of process 1. A
// test moves their clock.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/transport/zmq_dealer.h"
#include "comm/transport/zmq_router.h"
#include "comm/zmq_ranks.h"
#include "support/sim_schedule.h"

namespace singa {

class ZmqEnds : public testing::Test {
 protected:
  static constexpr char kLife[] = "00000000000000a0";

  // A dealer with the ZeroMQ context of its process, and its events.
  struct Dealer {
    Dealer(ZmqEnds* ends, const std::string& life)
        : options(OptionsOf(1, ends->secrets_)),
          dealer(&context, &ends->clock_, &options, life, 0, &counts) {}
    zmq::context_t context{1};
    ZmqOptions options;
    ZmqCounts counts;
    ZmqDealer dealer;
    Recorder heard;
  };

  ZmqRouter& Listen() {
    router_ = std::make_unique<ZmqRouter>(&context_, &clock_, &options_, &counts_);
    return *router_;
  }
  // Replaces the router by one at another port, as a process that is started again has.
  void ListenElsewhere() {
    router_ = std::make_unique<ZmqRouter>(&contexts_.emplace_back(1), &clock_, &options_, &counts_);
  }
  // Makes a dealer of process 1 that connects to the router. `life`: its incarnation.
  Dealer& Connect(const std::string& life = kLife) {
    dealers_.push_back(std::make_unique<Dealer>(this, life));
    dealers_.back()->dealer.Connect(router_->endpoint());
    return *dealers_.back();
  }
  // Makes a dealer whose connection stands.
  Dealer& Connected(const std::string& life = kLife) {
    Dealer& made = Connect(life);
    EXPECT_TRUE(UntilConnected(&made));
    return made;
  }
  // Lets both ends work until the dealer's connection stands. On a busy machine a connection may be
  // lost before; the clock then moves to the moment of the next one.
  bool UntilConnected(Dealer* own) {
    return Until([this, own] {
      if (!own->dealer.socket()) clock_.now = std::max(clock_.now, own->dealer.next_check());
      return own->dealer.connected();
    });
  }
  // Lets both ends work until `done`. Returns false if that takes longer than any machine needs.
  bool Until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    bool is_done = done();
    while (!is_done && std::chrono::steady_clock::now() < end) {
      router_->Check();
      if (router_receives_) router_->Receive(100, &heard_);
      for (const auto& one : dealers_) {
        one->dealer.Check();
        one->dealer.Receive(100, &one->heard);
      }
      Wait();
      is_done = done();
    }
    return is_done;
  }
  static Packet PacketOf(const std::string& text) { return {FrameOf(text)}; }
  static Arrived From(int rank, const std::string& text) { return {rank, {text}}; }

  const JobSecrets secrets_ = JobSecrets::Make(2);
  SimClock clock_;
  zmq::context_t context_{1};
  std::deque<zmq::context_t> contexts_;  // of routers after the first
  ZmqOptions options_ = OptionsOf(0, secrets_);
  ZmqCounts counts_;
  Recorder heard_;
  std::unique_ptr<ZmqRouter> router_;
  bool router_receives_ = true;
  std::vector<std::unique_ptr<Dealer>> dealers_;

 private:
  // Waits until a socket has something, or a millisecond.
  void Wait() {
    std::vector<zmq::pollitem_t> sockets;
    const auto watch = [&](zmq::socket_t* socket) {
      if (socket) sockets.push_back({socket->handle(), 0, ZMQ_POLLIN, 0});
    };
    watch(router_->gate());
    watch(router_->monitor());
    if (router_receives_) watch(router_->socket());
    for (const auto& one : dealers_) {
      watch(one->dealer.socket());
      watch(one->dealer.monitor());
    }
    zmq::poll(sockets, std::chrono::milliseconds(1));
  }
};

}  // namespace singa
