// Tests how the processes of a worker group exchange messages and add numbers up.
#include "cluster/client/process_link.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>

#include "cluster/protocol/addresses.h"
#include "comm/collective/link_collective.h"
#include "singa/base/error.h"

namespace singa {
namespace {

ClusterProto ProcessGroup(int processes, int each) {
  ClusterProto conf;
  conf.set_nworkers_per_group(processes * each);
  conf.set_nworkers_per_procs(each);
  return conf;
}

double Large(int process, int turn) { return 1e16 * (process % 2 ? -1 : 1) + turn; }

// LinkedProcesses are all processes of a group. A message arrives as soon as it is sent.
class LinkedProcesses final : public Outbox {
 public:
  explicit LinkedProcesses(int processes, std::chrono::milliseconds longest_wait = kNoEnd,
                           int each = 1)
      : topology_(ProcessGroup(processes, each)), deadline_(longest_wait) {
    for (int process = 0; process < processes; ++process) {
      links_.push_back(std::make_unique<ProcessLink>(topology_, 0, process, this, &deadline_));
      sums_.push_back(
          std::make_unique<LinkCollective>(links_.back().get(), topology_.ProcessNodes(0)));
    }
  }
  void Post(Message message) override {
    const auto from = static_cast<int>(message.head.from().id());
    links_[message.head.to().id()]->OnMessage(from, message);
  }
  ProcessLink& link(int process) { return *links_[process]; }
  LinkCollective& operator[](int process) { return *sums_[process]; }

 private:
  const Topology topology_;
  const ProgressDeadline deadline_;
  std::vector<std::unique_ptr<ProcessLink>> links_;
  std::vector<std::unique_ptr<LinkCollective>> sums_;
};

TEST(ProcessLinkTest, ProcessesAddInOneOrderWhoeverComesFirst) {
  constexpr int kProcesses = 4, kTurns = 200;
  LinkedProcesses all(kProcesses);
  std::vector<std::vector<double>> got(kProcesses);
  std::vector<std::thread> threads;
  for (int process = 0; process < kProcesses; ++process)
    threads.emplace_back([&, process] {
      for (int turn = 0; turn < kTurns; ++turn) {
        // The numbers are large and small: another order would lose other bits.
        std::vector<double> values = {Large(process, turn), 1.0 / (process + 1)};
        all[process].AllReduce(std::span(values));
        got[process].insert(got[process].end(), values.begin(), values.end());
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<double> expected;
  for (int turn = 0; turn < kTurns; ++turn)
    expected.insert(expected.end(),
                    {(Large(0, turn) + Large(1, turn)) + (Large(2, turn) + Large(3, turn)),
                     (1.0 + 1.0 / 2) + (1.0 / 3 + 1.0 / 4)});
  for (const std::vector<double>& values : got) EXPECT_EQ(values, expected);
}

TEST(ProcessLinkTest, ASumOfOneProcessIsWhatItHas) {
  LinkedProcesses all(1);
  std::vector<double> values = {3, 4};
  all[0].AllReduce(std::span(values));
  EXPECT_EQ(values, (std::vector<double>{3, 4}));
}

// Numbers of a process do not count once for each worker.
TEST(ProcessLinkTest, NumbersOfProcessesCountOnce) {
  LinkedProcesses all(2, kNoEnd, 3);
  std::vector<double> one = {1}, two = {2};
  std::thread other([&] { all[1].AllReduceOfRanks(two); });
  all[0].AllReduceOfRanks(one);
  other.join();
  EXPECT_EQ(one, (std::vector<double>{3}));
  EXPECT_EQ(two, one);
}

TEST(ProcessLinkTest, AnotherNumberOfValuesIsAnError) {
  LinkedProcesses all(2);
  std::thread other([&] {
    std::vector<double> three(3);
    EXPECT_THROW(all[1].AllReduceOfRanks(three), PeerError);
  });
  std::vector<double> two(2);
  EXPECT_THROW(all[0].AllReduceOfRanks(two), PeerError);
  all.link(1).Fail(std::make_exception_ptr(PeerError("it ended")));
  other.join();
}

Message FromProcess(int process, int64_t tag, std::vector<double> values) {
  Message message;
  message.head.set_type(WireMessage::kCollective);
  *message.head.mutable_from() = ClientAddress(0, process);
  *message.head.mutable_to() = ClientAddress(0, 0);
  message.head.set_step(tag);
  message.payload.push_back(Frame::Copy(values.data(), values.size() * sizeof(double)));
  return message;
}

TEST(ProcessLinkTest, ForgedMessagesChangeNothing) {
  LinkedProcesses all(3);
  const Message forged = FromProcess(1, 0, {100});
  all.link(0).OnMessage(2, forged);  // from another process than the message claims
  all.link(1).OnMessage(1, forged);  // for another process
  Message several = forged;
  several.payload.push_back(several.payload[0]);
  all.link(0).OnMessage(1, several);
  all.link(0).OnMessage(1, FromProcess(1, 0, std::vector<double>(RankLink::kMostBytes / 8 + 1)));
  std::vector<std::thread> threads;
  for (int process = 0; process < 3; ++process)
    threads.emplace_back([&, process] {
      std::vector<double> one = {1};
      all[process].AllReduceOfRanks(one);
      EXPECT_EQ(one[0], 3);
    });
  for (std::thread& thread : threads) thread.join();
}

// A process that sends endless messages cannot fill the memory of another.
TEST(ProcessLinkTest, EndlessMessagesAreAnError) {
  LinkedProcesses all(2);
  for (int tag = 5; tag < 600; ++tag)
    all.link(0).OnMessage(1, FromProcess(1, tag, std::vector<double>(RankLink::kMostBytes / 8)));
  std::vector<double> one = {1};
  try {
    all[0].AllReduceOfRanks(one);
    FAIL();
  } catch (const PeerError& error) {
    EXPECT_STREQ(error.what(), "process 1 sends numbers that no worker waits for");
  }
}

TEST(ProcessLinkTest, MoreMessagesMayComeEarlyWhereRoomIsReserved) {
  LinkedProcesses all(2);
  constexpr int64_t kMessages = 300;  // of 256 KiB: more than 64 MiB
  all.link(0).Reserve({.bytes = kMessages * RankLink::kMostBytes, .messages = kMessages});
  for (int tag = 0; tag < kMessages; ++tag)
    all.link(0).OnMessage(1, FromProcess(1, tag, std::vector<double>(RankLink::kMostBytes / 8)));
  std::vector<std::byte> bytes(RankLink::kMostBytes);
  for (int tag = 0; tag < kMessages; ++tag) EXPECT_NO_THROW(all.link(0).Receive(1, tag, bytes));
}

TEST(ProcessLinkTest, NamesTheProcessThatStandsStill) {
  LinkedProcesses all(3, std::chrono::milliseconds(50));
  for (const int waits : {0, 2}) {
    std::vector<double> one = {1};
    try {
      all[waits].AllReduceOfRanks(one);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitStalled);
      EXPECT_EQ(std::string(error.what()),
                "process 1 stands still: it has sent no numbers for 0.1 s");
    }
  }
}

TEST(ProcessLinkTest, AFailureEndsTheWait) {
  LinkedProcesses all(2);
  std::thread waiting([&] {
    std::vector<double> one = {1};
    EXPECT_THROW(all[0].AllReduceOfRanks(one), PeerError);
  });
  all.link(0).Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  waiting.join();
}

}  // namespace
}  // namespace singa
