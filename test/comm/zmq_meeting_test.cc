// Tests how processes find each other over real sockets. Ranks are threads here.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <random>
#include <thread>

#include "comm/transport/rendezvous.h"
#include "comm/zmq_ranks.h"
#include "singa/base/error.h"
#include "support/comm/reserved_port.h"

namespace singa {
namespace {

// Member is one rank: a transport and a rendezvous. Messages wait until they can be sent.
class Member final : public TransportEvents, public Outbox {
 public:
  Member(const ZmqOptions& options, const Endpoint& meeting, int64_t timeout_ms)
      : transport_(options, &RealClock()),
        rendezvous_(options.rank, options.processes, transport_.endpoint(), meeting,
                    timeout_ms * kMs, &RealClock(), this) {
    if (options.rank > 0) transport_.Connect(0, meeting);
  }

  void Post(Message message) override { waiting_.push_back(std::move(message.head)); }
  void OnConnected(int rank) override { rendezvous_.OnConnected(rank); }
  void OnPacket(int rank, Packet packet) override {
    WireMessage message;
    ASSERT_TRUE(message.ParseFromArray(packet[0].data(), static_cast<int>(packet[0].size())));
    if (rendezvous_.OnMessage(rank, message))
      for (size_t peer = 0; peer < rendezvous_.endpoints().size(); ++peer)
        transport_.Connect(static_cast<int>(peer), rendezvous_.endpoints()[peer]);
  }
  void Turn() {
    rendezvous_.CheckTime();
    while (!waiting_.empty() && transport_.Send(static_cast<int>(waiting_[0].to().id()),
                                                {FrameOf(waiting_[0].SerializeAsString())}))
      waiting_.pop_front();
    transport_.Poll(RealClock().Now() + 5 * kMs, this);
  }
  bool ConnectedWithAll(int own, int processes) const {
    for (int peer = 0; peer < processes; ++peer)
      if (peer != own && !transport_.connected(peer)) return false;
    return rendezvous_.complete();
  }

 private:
  ZmqTransport transport_;
  std::deque<WireMessage> waiting_;
  Rendezvous rendezvous_;
};

TEST(ZmqMeeting, AllMeetInAnyOrderOfStarting) {
  constexpr int kProcesses = 5;
  for (int trial = 0; trial < 4; ++trial) {
    const JobSecrets secrets = JobSecrets::Make(kProcesses);
    const ReservedPort port;
    const Endpoint meeting{"127.0.0.1", port.port()};
    std::atomic<int> met = 0;
    std::vector<std::thread> threads;
    std::mt19937 random(trial);
    for (int rank = 0; rank < kProcesses; ++rank) {
      const int64_t start = RealClock().Now() + static_cast<int64_t>(random() % 400) * kMs;
      threads.emplace_back([&, rank, start] {
        while (RealClock().Now() < start) std::this_thread::yield();
        ZmqOptions options = OptionsOf(rank, secrets);
        if (rank == 0) options.bind = meeting;
        Member member(options, meeting, 60'000);
        bool counted = false;
        for (const int64_t end = RealClock().Now() + 60'000 * kMs;
             met < kProcesses && RealClock().Now() < end;) {
          member.Turn();
          if (!counted && member.ConnectedWithAll(rank, kProcesses)) counted = ++met;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(met, kProcesses);
  }
}

TEST(ZmqMeeting, WhoIsMissingIsNamed) {
  const JobSecrets secrets = JobSecrets::Make(4);
  Member meeting(OptionsOf(0, secrets), {"127.0.0.1", 1}, 300);
  std::string what;
  try {
    for (const int64_t end = RealClock().Now() + 60'000 * kMs; RealClock().Now() < end;)
      meeting.Turn();
  } catch (const PeerError& error) {
    what = error.what();
  }
  EXPECT_NE(what.find("processes 1, 2, 3 did not connect"), std::string::npos) << what;
}

}  // namespace
}  // namespace singa
