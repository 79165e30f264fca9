// Runs ReliableChannel many times, under every fault of the simulated network at once. A failure
// names its seed: SINGA_SEED=n runs this seed alone, SINGA_SEEDS=n runs n seeds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "singa/base/str_cat.h"
#include "support/comm/link_ledger.h"

namespace singa {
namespace {

constexpr int kSimRanks = 3;

// Trial is one run: first with faults, then without, until the network is quiet.
class Trial {
 public:
  explicit Trial(uint64_t seed)
      : network(seed, kSimRanks, {}, [this](const SimStart& start) {
          return std::make_unique<Chatter>(start, &network.schedule(), &ledger, options);
        }) {
    DrawSimFaults(&network, &options);
  }

  Chatter& At(int rank) { return static_cast<Chatter&>(*network.process(rank)); }
  int64_t Soon() { return network.clock().Now() + network.schedule().Between(0, 2 * kSimSecond); }

  // Starts ranks at different times. Breaks connections, and pauses and resumes processes.
  void StartWithFaults() {
    for (int rank = 0; rank < kSimRanks; ++rank) {
      network.At(Soon(), [this, rank] {
        network.Start(rank);
        At(rank).Talk(static_cast<int>(network.schedule().Between(0, 60)));
      });
    }
    for (int n = network.schedule().Between(0, 6); n > 0; --n) Disturb();
  }
  void Disturb() {
    const int a = static_cast<int>(network.schedule().Between(0, kSimRanks - 1));
    const int b = (a + 1) % kSimRanks;
    const int64_t begin = Soon(), end = begin + Soon() - network.clock().Now();
    switch (network.schedule().Between(0, 2)) {
      case 0:
        network.At(begin, [=, this] { network.Reset(a, b); });
        break;
      case 1:
        network.At(begin, [=, this] { network.Disconnect(a, b); });
        network.At(end, [=, this] { network.Connect(a, b); });
        break;
      default:
        network.At(begin, [=, this] { network.Pause(a); });
        network.At(end, [=, this] { network.Resume(a); });
    }
  }
  // Ends processes some times, and starts new ones in their place.
  void Restarts() {
    for (int n = network.schedule().Between(1, 6); n > 0; --n) {
      const int rank = static_cast<int>(network.schedule().Between(0, kSimRanks - 1));
      const int64_t begin = Soon() + kSimSecond;
      network.At(begin, [=, this] {
        if (network.process(rank) == nullptr) return;
        network.Crash(rank);
        network.At(begin + network.schedule().Between(0, kSimSecond), [=, this] {
          if (network.process(rank) != nullptr) return;
          network.Start(rank);
          At(rank).Talk(static_cast<int>(network.schedule().Between(0, 30)));
          ++restarts;
        });
      });
    }
  }

  // Returns whether all messages were sent and acknowledged, and nothing is under way.
  bool Quiet() {
    if (network.under_way() > 0) return false;
    for (int rank = 0; rank < kSimRanks; ++rank) {
      if (network.process(rank) == nullptr) return false;
      if (!At(rank).silent() || !At(rank).channel.Quiet()) return false;
    }
    return true;
  }
  void Finish() {
    network.RunFor(6 * kSimSecond);
    network.faults = {};
    const bool quiet = network.RunUntil([this] { return Quiet(); }, 60 * kSimSecond);
    EXPECT_TRUE(quiet) << "messages still wait";
    // All processes are alive and known, so messages that are sent now arrive, too.
    for (int n = 0; n < 2 && quiet; ++n) {
      for (int from = 0; from < kSimRanks; ++from) {
        network.Tell(from, [&](SimProcess*) {
          for (int to = 0; to < kSimRanks; ++to) At(from).SendOne(to);
        });
      }
      EXPECT_TRUE(network.RunUntil([this] { return Quiet(); }, 90 * kSimSecond));
    }
    for (int from = 0; from < kSimRanks; ++from) {
      for (int to = 0; to < kSimRanks && quiet; ++to)
        EXPECT_TRUE(ledger.Complete(At(from).incarnation(), to)) << from << " to " << to;
    }
  }
  void AddTo(ChannelCounters* sum) {
    for (int rank = 0; rank < kSimRanks; ++rank) {
      const ChannelCounters& one = At(rank).channel.counters();
      sum->resent += one.resent;
      sum->duplicates += one.duplicates;
      sum->out_of_order += one.out_of_order;
      sum->blocked += one.blocked;
      sum->dropped += one.dropped;
      sum->restarts += one.restarts;
      for (int i = 0; i < kRefusals; ++i) sum->refused[i] += one.refused[i];
    }
  }

  ChannelOptions options;
  LinkLedger ledger;
  SimNetwork network;
  int restarts = 0;
};

// Runs seeds 1, 2, ... up to the first that fails.
template <typename Run>
void ForEachSeed(const Run& run) {
  const char* const only = std::getenv("SINGA_SEED");
  const char* const many = std::getenv("SINGA_SEEDS");
  const uint64_t first = only != nullptr ? std::stoull(only) : 1;
  const uint64_t seeds = only != nullptr ? 1 : many != nullptr ? std::stoull(many) : 1000;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    run(seed);
    ASSERT_FALSE(testing::Test::HasFailure()) << "run it again: SINGA_SEED=" << seed;
  }
}

void ExpectFound(const ChannelCounters& sum, std::initializer_list<Refusal> refusals) {
  if (std::getenv("SINGA_SEED") != nullptr) return;
  EXPECT_GT(sum.resent, 0);
  EXPECT_GT(sum.duplicates, 0);
  EXPECT_GT(sum.out_of_order, 0);
  EXPECT_GT(sum.blocked, 0);
  for (const Refusal refusal : refusals)
    EXPECT_GT(sum.refused[static_cast<int>(refusal)], 0) << RefusalName(refusal);
}

TEST(ChannelSimTest, EveryMessageArrivesOnceAndInOrderWhateverTheNetworkDoes) {
  ChannelCounters sum;
  ForEachSeed([&](uint64_t seed) {
    Trial trial(seed);
    trial.StartWithFaults();
    trial.Finish();
    EXPECT_EQ(trial.ledger.total_arrived, trial.ledger.total_sent);
    trial.AddTo(&sum);
  });
  EXPECT_EQ(sum.restarts, 0);
  EXPECT_EQ(sum.dropped, 0);
  ExpectFound(sum, {Refusal::kMagic, Refusal::kChecksum});
}

TEST(ChannelSimTest, NoMessageReachesAnotherProcessThanItWasMeantForWhateverRestarts) {
  ChannelCounters sum;
  ForEachSeed([&](uint64_t seed) {
    Trial trial(seed);
    trial.StartWithFaults();
    trial.Restarts();
    trial.Finish();
    trial.AddTo(&sum);
  });
  ExpectFound(sum, {Refusal::kChecksum, Refusal::kReceiver, Refusal::kSender, Refusal::kRetired});
  EXPECT_GT(sum.restarts, 0);
  EXPECT_GT(sum.dropped, 0);
}

TEST(ChannelSimTest, TheSameSeedIsTheSameRun) {
  const auto run = [](uint64_t seed) {
    Trial trial(seed);
    trial.StartWithFaults();
    trial.Restarts();
    trial.Finish();
    const SimCounters& n = trial.network.counters();
    return StrCat(n.sent, " ", n.arrived, " ", n.late, " ", trial.ledger.total_arrived, " ",
                  trial.network.clock().Now());
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

}  // namespace
}  // namespace singa
