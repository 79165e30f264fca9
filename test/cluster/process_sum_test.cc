#include "cluster/client/process_sum.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "cluster/protocol/addresses.h"
#include "singa/base/error.h"

namespace singa {
namespace {

ClusterProto GroupOf(int processes, int each) {
  ClusterProto conf;
  conf.set_nworkers_per_group(processes * each);
  conf.set_nworkers_per_procs(each);
  return conf;
}

double Large(int process, int turn) { return 1e16 * (process % 2 ? -1 : 1) + turn; }

// The sums of all processes; what one sends arrives at once.
class Sums final : public Outbox {
 public:
  explicit Sums(int processes, std::chrono::milliseconds longest_wait = kNoEnd, int each = 1)
      : topology_(GroupOf(processes, each)), deadline_(longest_wait) {
    for (int process = 0; process < processes; ++process)
      sums_.push_back(std::make_unique<ProcessSum>(topology_, 0, process, this, &deadline_));
  }
  void Post(Message message) override {
    const auto from = static_cast<int>(message.head.from().id());
    sums_[message.head.to().id()]->OnMessage(from, message.head);
  }
  ProcessSum& operator[](int process) { return *sums_[process]; }

 private:
  const Topology topology_;
  const ProgressDeadline deadline_;
  std::vector<std::unique_ptr<ProcessSum>> sums_;
};

TEST(ProcessSum, AddsInOneOrderWhoeverComesFirst) {
  constexpr int kProcesses = 4, kTurns = 200;
  Sums sums(kProcesses);
  std::vector<std::vector<double>> got(kProcesses);
  std::vector<std::thread> threads;
  for (int process = 0; process < kProcesses; ++process)
    threads.emplace_back([&, process] {
      for (int turn = 0; turn < kTurns; ++turn) {
        // Large and small: another order would lose other bits.
        const std::vector<double> own = {Large(process, turn), 1.0 / (process + 1)};
        std::vector<double> values(2);
        sums[process].Sum(own, values);
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

TEST(ProcessSum, OfOneProcessIsWhatItHas) {
  Sums sums(1);
  std::vector<double> values(2);
  sums[0].Sum(std::vector<double>{3, 4}, values);
  EXPECT_EQ(values, (std::vector<double>{3, 4}));
}

// Six workers, three in a process: w0 + w1 and w2 of the first, w3 and w4 + w5 of the second. More
// numbers than a message has.
TEST(ProcessSum, AProcessGivesWhatItHasOfTheTree) {
  constexpr int kNumbers = 5000;
  Sums sums(2, kNoEnd, 3);
  std::vector<std::vector<double>> parts(2), got(2, std::vector<double>(kNumbers));
  for (int process = 0; process < 2; ++process)
    for (int node = 0; node < 2; ++node)
      for (int i = 0; i < kNumbers; ++i)
        parts[process].push_back((process == node ? 1 : 1e16) * (i + 1));
  std::thread other([&] { sums[1].Sum(parts[1], got[1]); });
  sums[0].Sum(parts[0], got[0]);
  other.join();
  for (int i = 0; i < kNumbers; ++i) {
    const double n = i + 1;
    ASSERT_EQ(got[0][i], (n + (1e16 * n + 1e16 * n)) + n) << i;
  }
  EXPECT_EQ(got[1], got[0]);
}

// Not one for each worker.
TEST(ProcessSum, NumbersOfProcessesCountOnce) {
  Sums sums(2, kNoEnd, 3);
  std::vector<double> one = {1}, two = {2};
  std::thread other([&] { sums[1].SumOfProcesses(two); });
  sums[0].SumOfProcesses(one);
  other.join();
  EXPECT_EQ(one, (std::vector<double>{3}));
  EXPECT_EQ(two, one);
}

TEST(ProcessSum, AnotherNumberOfValuesIsAnError) {
  Sums sums(2);
  std::thread other([&] {
    std::vector<double> three(3);
    EXPECT_THROW(sums[1].SumOfProcesses(three), PeerError);
  });
  std::vector<double> two(2);
  EXPECT_THROW(sums[0].SumOfProcesses(two), Error);
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
      sums[process].SumOfProcesses(one);
      EXPECT_EQ(one[0], 3);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(ProcessSum, NamesTheProcessThatStandsStill) {
  Sums sums(3, std::chrono::milliseconds(50));
  for (const auto& [waits, still] : {std::pair(0, 1), std::pair(2, 0)}) {
    std::vector<double> one = {1};
    try {
      sums[waits].SumOfProcesses(one);
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
    EXPECT_THROW(sums[0].SumOfProcesses(one), PeerError);
  });
  sums[0].Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  waiting.join();
}

}  // namespace
}  // namespace singa
