#include "cluster/process_sum.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "cluster/addresses.h"
#include "singa/base/error.h"

namespace singa {
namespace {

ClusterProto GroupOf(int processes) {
  ClusterProto conf;
  conf.set_nworkers_per_group(processes);
  return conf;
}

// The sums of all processes; what one sends arrives at once.
class Sums final : public Outbox {
 public:
  explicit Sums(int processes, std::chrono::milliseconds longest_wait = kNoEnd)
      : topology_(GroupOf(processes)), patience_(longest_wait) {
    for (int process = 0; process < processes; ++process)
      sums_.push_back(std::make_unique<ProcessSum>(topology_, 0, process, this, &patience_));
  }
  void Post(Message message) override {
    const auto from = static_cast<int>(message.head.from().id());
    sums_[message.head.to().id()]->OnMessage(from, message.head);
  }
  ProcessSum& operator[](int process) { return *sums_[process]; }

 private:
  const Topology topology_;
  const Patience patience_;
  std::vector<std::unique_ptr<ProcessSum>> sums_;
};

TEST(ProcessSum, AddsInTheOrderOfProcessesWhoeverComesFirst) {
  constexpr int kProcesses = 4, kTurns = 200;
  Sums sums(kProcesses);
  std::vector<std::vector<double>> got(kProcesses);
  std::vector<std::thread> threads;
  for (int process = 0; process < kProcesses; ++process)
    threads.emplace_back([&, process] {
      for (int turn = 0; turn < kTurns; ++turn) {
        // Large and small: another order would lose other bits.
        std::vector<double> values = {1e16 * (process % 2 ? -1 : 1) + turn, 1.0 / (process + 1)};
        sums[process].Sum(values);
        got[process].insert(got[process].end(), values.begin(), values.end());
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<double> expected;
  for (int turn = 0; turn < kTurns; ++turn)
    for (int i = 0; i < 2; ++i) {
      double sum = 0;
      for (int process = 0; process < kProcesses; ++process)
        sum += i == 0 ? 1e16 * (process % 2 ? -1 : 1) + turn : 1.0 / (process + 1);
      expected.push_back(sum);
    }
  for (const std::vector<double>& values : got) EXPECT_EQ(values, expected);
}

TEST(ProcessSum, OfOneProcessIsWhatItHas) {
  Sums sums(1);
  std::vector<double> values = {3, 4};
  sums[0].Sum(values);
  EXPECT_EQ(values, (std::vector<double>{3, 4}));
}

TEST(ProcessSum, AnotherNumberOfValuesIsAnError) {
  Sums sums(2);
  std::thread other([&] {
    std::vector<double> three(3);
    EXPECT_THROW(sums[1].Sum(three), PeerError);
  });
  std::vector<double> two(2);
  EXPECT_THROW(sums[0].Sum(two), Error);
  sums[1].Fail(std::make_exception_ptr(PeerError("it ended")));
  other.join();
}

TEST(ProcessSum, ForgedMessagesChangeNothing) {
  Sums sums(3);
  WireMessage forged;
  forged.set_type(WireMessage::kSum);
  *forged.mutable_from() = ClientAddress(0, 1);
  *forged.mutable_to() = ClientAddress(0, 0);
  forged.add_number(100);
  sums[0].OnMessage(2, forged);  // it comes from another process than it says
  forged.set_step(7);
  sums[0].OnMessage(1, forged);  // of another turn
  forged.set_step(0);
  forged.set_type(WireMessage::kSummed);
  sums[0].OnMessage(1, forged);  // that is for the first to say
  std::vector<std::thread> threads;
  for (int process = 0; process < 3; ++process)
    threads.emplace_back([&, process] {
      std::vector<double> one = {1};
      sums[process].Sum(one);
      EXPECT_EQ(one[0], 3);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(ProcessSum, NamesTheProcessThatStandsStill) {
  Sums sums(3, std::chrono::milliseconds(50));
  for (const auto& [waits, still] : {std::pair(0, 1), std::pair(2, 0)}) {
    std::vector<double> one = {1};
    try {
      sums[waits].Sum(one);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitStalled);
      EXPECT_EQ(
          std::string(error.what()),
          StrCat("process ", still, " stands still: it has sent no numbers to add up for 0.1 s"));
    }
  }
}

TEST(ProcessSum, AFailureEndsTheWait) {
  Sums sums(2);
  std::thread waiting([&] {
    std::vector<double> one = {1};
    EXPECT_THROW(sums[0].Sum(one), PeerError);
  });
  sums[0].Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  waiting.join();
}

}  // namespace
}  // namespace singa
