#include "comm/transport/rendezvous.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <random>

#include "comm/transport/packet.h"
#include "comm/zmq_ranks.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class HeldClock final : public Clock {
 public:
  int64_t Now() const override { return now; }
  int64_t now = 7 * kSecond;
};

class Letters final : public Outbox {
 public:
  void Post(Message message) override { sent.push_back(std::move(message.head)); }
  std::deque<WireMessage> sent;
};

Endpoint At(int rank) { return {"10.0.0.1", 1000 + rank}; }

// Party is some processes that meet, and the messages between them.
class Party {
 public:
  explicit Party(int processes) : posts(processes) {
    for (int rank = 0; rank < processes; ++rank) members.push_back(Make(rank, At(rank)));
  }
  std::unique_ptr<Rendezvous> Make(int rank, const Endpoint& own) {
    return std::make_unique<Rendezvous>(rank, static_cast<int>(posts.size()), own, At(0),
                                        60 * kSecond, &clock, &posts[rank]);
  }
  // Delivers all messages. Returns the ranks that have learnt something, in order.
  std::vector<int> Deliver() {
    std::vector<int> changed;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t from = 0; from < posts.size(); ++from)
        while (!posts[from].sent.empty()) {
          const WireMessage message = posts[from].sent.front();
          posts[from].sent.pop_front();
          moved = true;
          const int to = static_cast<int>(message.to().id());
          if (members[to]->OnMessage(static_cast<int>(from), message)) changed.push_back(to);
        }
    }
    return changed;
  }

  HeldClock clock;
  std::vector<Letters> posts;
  std::vector<std::unique_ptr<Rendezvous>> members;
};

TEST(Rendezvous, AllLearnWhereAllAreInAnyOrder) {
  std::vector<int> order = {1, 2, 3};
  do {
    Party party(4);
    for (int rank : order) {
      EXPECT_FALSE(party.members[0]->complete());
      party.members[rank]->OnConnected(0);
      party.Deliver();
    }
    for (const auto& member : party.members) {
      ASSERT_TRUE(member->complete());
      EXPECT_EQ(member->endpoints(), (std::vector{At(0), At(1), At(2), At(3)}));
      EXPECT_EQ(member->dropped(), 0);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Rendezvous, OneProcessIsComplete) {
  Party party(1);
  EXPECT_TRUE(party.members[0]->complete());
  party.clock.now += 100 * kSecond;
  party.members[0]->CheckTime();
}

TEST(Rendezvous, ARestartElsewhereIsToldToAll) {
  Party party(3);
  for (int rank : {1, 2}) party.members[rank]->OnConnected(0);
  party.Deliver();
  const Endpoint elsewhere{"10.0.0.9", 9};
  party.members[1] = party.Make(1, elsewhere);
  party.members[1]->OnConnected(0);
  EXPECT_EQ(party.Deliver(), (std::vector{0, 1, 2}));
  EXPECT_EQ(party.members[2]->endpoints()[1], elsewhere);
  EXPECT_EQ(party.members[1]->endpoints()[2], At(2));
}

TEST(Rendezvous, ANewLifeOfTheMeetingPointIsToldAgain) {
  Party party(3);
  for (int rank : {1, 2}) party.members[rank]->OnConnected(0);
  party.Deliver();
  party.members[0] = party.Make(0, At(0));
  for (int rank : {1, 2}) party.members[rank]->OnConnected(0);
  EXPECT_EQ(party.Deliver(), (std::vector{0}));
  EXPECT_TRUE(party.members[0]->complete());
}

TEST(Rendezvous, AnUnchangedHelloIsAnsweredAndTroublesNobodyElse) {
  Party party(3);
  for (int rank : {1, 2}) party.members[rank]->OnConnected(0);
  party.Deliver();
  party.members[1]->OnConnected(0);
  EXPECT_TRUE(party.Deliver().empty());
  EXPECT_EQ(party.members[2]->dropped(), 0);
}

TEST(Rendezvous, TheMeetingPointNamesWhoDidNotCome) {
  Party party(4);
  party.members[2]->OnConnected(0);
  party.Deliver();
  party.clock.now += 60 * kSecond - 1;
  party.members[0]->CheckTime();
  ++party.clock.now;
  EXPECT_EQ(party.clock.now, party.members[0]->deadline());
  EXPECT_ERROR(party.members[0]->CheckTime(), kExitPeerLost,
               "processes 1, 3 did not connect to 10.0.0.1:1000 within 60 s "
               "(cluster.start_timeout); the job has 4 processes");
}

TEST(Rendezvous, OthersTellAMeetingPointThatIsSilentFromOneThatWaits) {
  Party party(4);
  party.members[2]->OnConnected(0);
  party.Deliver();
  party.clock.now += 60 * kSecond;
  EXPECT_ERROR(party.members[1]->CheckTime(), kExitPeerLost, "process 1",
               "process 0 at 10.0.0.1:1000 did not answer within 60 s");
  EXPECT_ERROR(party.members[2]->CheckTime(), kExitPeerLost,
               "did not send the addresses of all processes within 60 s",
               "names the missing processes");
}

TEST(Rendezvous, TheTimeCountsFromTheLastWordOfRankZero) {
  Party party(4);
  party.clock.now += 60 * kSecond;
  for (int rank : {0, 1}) party.members[rank]->Renew();
  party.clock.now += 60 * kSecond - 1;
  for (int rank : {0, 1}) party.members[rank]->CheckTime();
  ++party.clock.now;
  for (int rank : {0, 1})
    EXPECT_ERROR(party.members[rank]->CheckTime(), kExitPeerLost, "within 60 s");
}

TEST(Rendezvous, WhoHasComeCanBeTold) {
  Party party(3);
  EXPECT_FALSE(party.members[1]->Reached(0));
  EXPECT_FALSE(party.members[0]->Reached(1));
  party.members[1]->OnConnected(0);
  EXPECT_TRUE(party.members[1]->Reached(0));
  party.Deliver();
  EXPECT_TRUE(party.members[0]->Reached(1));
  EXPECT_FALSE(party.members[0]->Reached(2));
  party.members[2]->OnConnected(0);
  party.Deliver();
  EXPECT_TRUE(party.members[1]->Reached(2));
}

TEST(Rendezvous, TheLongestEndpointsOfAsManyAsThereMayBeFitIntoAPacket) {
  const Endpoint longest{"fe80::1111:2222:3333:4444%abcdefghijklmno", 65535};
  EXPECT_LE(ToString(longest).size(), kMostEndpointBytes);
  EXPECT_LE(ToString({"1111:2222:3333:4444:5555:6666:7777:8888", 65535}).size(),
            kMostEndpointBytes);
  Message welcome;
  welcome.head.set_type(WireMessage::kWelcome);
  for (Address* end : {welcome.head.mutable_from(), welcome.head.mutable_to()})
    end->set_id(kMostProcesses);
  for (int rank = 0; rank < kMostProcesses; ++rank)
    welcome.head.add_text(std::string(kMostEndpointBytes, 'x'));
  EXPECT_TRUE(Fits(welcome, PacketLimits()));
}

TEST(Rendezvous, AMissingThousandIsNotListedWhole) {
  Party party(1000);
  party.clock.now += 60 * kSecond;
  EXPECT_ERROR(party.members[0]->CheckTime(), kExitPeerLost, "processes 1, 2, 3,",
               "16 and 983 more did not connect to ", "; the job has 1000 processes");
}

WireMessage Of(WireMessage::Type type, const std::vector<std::string>& texts) {
  WireMessage message;
  message.set_type(type);
  for (const std::string& text : texts) message.add_text(text);
  return message;
}

WireMessage Hello(const std::string& endpoint, const std::string& host = "node7",
                  const std::vector<double>& pids = {42}) {
  WireMessage message = Of(WireMessage::kHello, {endpoint, host});
  message.mutable_number()->Add(pids.begin(), pids.end());
  return message;
}

TEST(Rendezvous, TheMeetingPointLearnsWhereProcessesRun) {
  Party party(3);
  party.members[1]->OnConnected(0);
  party.Deliver();
  Rendezvous& meeting = *party.members[0];
  const HostAndPid here = HostAndPid::OfThisProcess();
  EXPECT_EQ(here.pid, getpid());
  EXPECT_FALSE(here.host.empty());
  EXPECT_EQ(meeting.hosts(), (std::vector<HostAndPid>{here, here, {}}));
  meeting.OnMessage(2, Hello("10.0.0.1:80", std::string(256, 'n'), {4194304}));
  EXPECT_EQ(meeting.hosts()[2], (HostAndPid{std::string(256, 'n'), 4194304}));
  meeting.OnMessage(2, Hello("10.0.0.1:80", "node8"));  // rank 2 has been started again
  EXPECT_EQ(meeting.hosts()[2], (HostAndPid{"node8", 42}));
  EXPECT_EQ(meeting.dropped(), 0);
}

TEST(Rendezvous, AHelloOfAHostThatCannotBeIsDropped) {
  Party party(2);
  Rendezvous& meeting = *party.members[0];
  int64_t dropped = 0;
  for (const std::string& host : {std::string(), std::string(257, 'n'), std::string("a\nb"),
                                  std::string("\x1b[2J"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(meeting.OnMessage(1, Hello("10.0.0.1:80", host))) << host;
    EXPECT_EQ(meeting.dropped(), ++dropped);
  }
  for (const std::vector<double>& pids : std::vector<std::vector<double>>{
           {}, {0}, {-1}, {1.5}, {1e300}, {HUGE_VAL}, {std::nan("")}, {1, 2}}) {
    EXPECT_FALSE(meeting.OnMessage(1, Hello("10.0.0.1:80", "node7", pids)));
    EXPECT_EQ(meeting.dropped(), ++dropped);
  }
  EXPECT_EQ(meeting.hosts()[1], HostAndPid());
  EXPECT_FALSE(meeting.complete());
}

TEST(Rendezvous, ABadHelloChangesNothing) {
  Party party(2);
  Rendezvous& meeting = *party.members[0];
  int64_t dropped = 0;
  for (const std::string& endpoint :
       std::vector<std::string>{"evil.example:80",  // a name would be looked up
                                "10.0.0.1:0", "10.0.0.1:*", "0.0.0.0:80", "*:80", "ipc:///tmp/x:1",
                                std::string(60, '0') + "1:80",  // 0.0.0.1
                                std::string(1 << 20, 'x'), ""}) {
    EXPECT_FALSE(meeting.OnMessage(1, Hello(endpoint)));
    EXPECT_EQ(meeting.dropped(), ++dropped);
  }
  for (const std::vector<std::string>& texts : std::vector<std::vector<std::string>>{
           {}, {"10.0.0.1:1"}, {"10.0.0.1:1", "node7", "node8"}}) {
    WireMessage hello = Of(WireMessage::kHello, texts);
    hello.add_number(42);
    EXPECT_FALSE(meeting.OnMessage(1, hello));
    EXPECT_EQ(meeting.dropped(), ++dropped);
  }
  for (int from : {-1, 0, 2, 1 << 30}) EXPECT_FALSE(meeting.OnMessage(from, Hello("10.0.0.1:80")));
  EXPECT_FALSE(meeting.OnMessage(1, Of(WireMessage::kWelcome, {"10.0.0.1:80", "10.0.0.1:81"})));
  EXPECT_FALSE(meeting.OnMessage(1, Of(WireMessage::kUpdate, {"10.0.0.1:80"})));
  EXPECT_EQ(meeting.dropped(), dropped + 6);
  EXPECT_FALSE(meeting.complete());
}

TEST(Rendezvous, ABadWelcomeChangesNothing) {
  Party party(3);
  Rendezvous& member = *party.members[1];
  const std::string one = "10.0.0.1:1000", two = ToString(At(1)), three = "10.0.0.1:1002";
  for (const std::vector<std::string>& texts : std::vector<std::vector<std::string>>{
           {}, {one, two}, {one, two, three, three}, {one, three, three}, {one, two, "x:1"}})
    EXPECT_FALSE(member.OnMessage(0, Of(WireMessage::kWelcome, texts))) << texts.size();
  EXPECT_FALSE(member.OnMessage(2, Of(WireMessage::kWelcome, {one, two, three})));
  EXPECT_EQ(member.dropped(), 6);
  EXPECT_FALSE(member.complete());
  EXPECT_TRUE(member.OnMessage(0, Of(WireMessage::kWelcome, {one, two, three})));
}

}  // namespace
}  // namespace singa
