// Runs whole jobs many times over a network that loses, repeats, delays, reorders and damages
// packets. Processes stop, are lost and begin again. They have the production ReliableChannel,
// Servers and Clients. A failure names its seed: SINGA_SIM_SEEDS=first:count runs others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "support/cluster/sim_cluster.h"

namespace singa {
namespace {

#ifdef SINGA_SANITIZED
constexpr uint64_t kShare = 10;  // one seed in so many
#else
constexpr uint64_t kShare = 1;
#endif

// Returns whether the seeds are the usual ones, among which all events happen.
bool UsualSeeds() { return std::getenv("SINGA_SIM_SEEDS") == nullptr; }

// Runs seeds 1 to `count`, or the chosen ones, up to the first that fails.
template <typename Run>
void ForEachSeed(uint64_t count, const Run& run) {
  unsigned long long first = 1, seeds = count / kShare;
  if (!UsualSeeds()) {
    const char* const text = std::getenv("SINGA_SIM_SEEDS");
    ASSERT_EQ(std::sscanf(text, "%llu:%llu", &first, &seeds), 2) << "not first:count: " << text;
  }
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    run(seed);
    ASSERT_FALSE(testing::Test::HasFailure()) << "run it again: SINGA_SIM_SEEDS=" << seed << ":1";
  }
}

// Expects everything that a run must reach, whatever has happened on the way.
void ExpectTrained(const SimJob& job, SimCluster* cluster) {
  SCOPED_TRACE(job.conf().ShortDebugString());
  ASSERT_EQ(cluster->Run(), "");
  if (cluster->replacements() == 0) {  // replacements repeat messages that servers keep
    EXPECT_EQ(cluster->refused(), 0);
  }
  const int groups = job.topology().server_groups();
  for (int g = 0; g < groups; ++g) {
    const std::vector<float> values = cluster->Values(g);
    if (job.counts()) {
      EXPECT_EQ(job.Wrong(values, SimJob::kSteps), 0) << "server group " << g;
    }
    if (job.synchronous()) {
      EXPECT_EQ(values, job.Reference(SimJob::kSteps));
    }
  }
  if (groups == 1 || job.elastic()) return;
  const bool equal = job.conf().cluster().group_sync() == ClusterProto::kMaster;
  const std::vector<float> first = cluster->Values(0);
  for (int g = 1; g < groups; ++g) {
    const std::vector<float> other = cluster->Values(g);
    for (size_t i = 0; i < first.size(); ++i)
      ASSERT_NEAR(first[i], other[i], equal ? 0 : 1e-4) << "server group " << g;
  }
}

// Expects that workers have the servers' values.
void ExpectInMemory(const SimJob& job, SimCluster* cluster) {
  const std::vector<float> expected = job.Reference(SimJob::kSteps);
  for (int rank = 0; rank < job.topology().processes(); ++rank)
    for (const std::vector<float>& memory : cluster->process(rank).Memories())
      EXPECT_EQ(memory, expected) << "process " << rank;
}

std::vector<float> ModelOf(const SimJob& job, const SimSnapshot& snapshot) {
  std::vector<float> values;
  for (int s = 0; s < job.table().size(); ++s) {
    const std::vector<float>& floats = snapshot.slices[s].floats;
    values.insert(values.end(), floats.begin(), floats.begin() + job.table()[s].size);
  }
  return values;
}

// Expects that the centre gains as much as elastic exchanges take from replicas.
void ExpectConserved(const SimJob& job, SimCluster* cluster) {
  std::vector<float> sum = ModelOf(job, cluster->run.snapshot);
  for (int g = 0; g < job.topology().server_groups(); ++g) {
    const std::vector<float> values = cluster->Values(g);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  for (float& x : sum) x = std::round(x * 1e4f) / 1e4f;  // without the sums' rounding
  EXPECT_EQ(job.Wrong(sum, SimJob::kSteps), 0);
}

// Expects that a checkpoint holds the steps before its own, and nothing else.
void ExpectCheckpoint(const SimJob& job, const SimSnapshot& snapshot) {
  const std::vector<float> values = ModelOf(job, snapshot);
  if (job.counts()) {
    EXPECT_EQ(job.Wrong(values, snapshot.step), 0) << "step " << snapshot.step;
  }
  if (job.synchronous()) {
    EXPECT_EQ(values, job.Reference(snapshot.step)) << "step " << snapshot.step;
  }
}

struct Found {
  int64_t dropped = 0, late = 0, resent = 0, duplicates = 0, out_of_order = 0, damaged = 0;
  int64_t other_start = 0, crashes = 0;
  void Add(const SimCluster& cluster) {
    const ChannelCounters& channel = cluster.channel();
    dropped += cluster.network.counters().dropped;
    late += cluster.network.counters().late;
    resent += channel.resent;
    duplicates += channel.duplicates;
    out_of_order += channel.out_of_order;
    damaged += channel.refused[static_cast<int>(Refusal::kChecksum)];
    other_start += channel.refused[static_cast<int>(Refusal::kJob)];
    crashes += cluster.crashes();
  }
  void ExpectFaults() const {
    if (!UsualSeeds()) return;
    for (const int64_t n : {dropped, late, resent, duplicates, out_of_order, damaged})
      EXPECT_GT(n, 10);
  }
};

TEST(SimulatorTest, SynchronousGroupsHaveTheBitsOfAPlainLoop) {
  Found found;
  ForEachSeed(400, [&](uint64_t seed) {
    const SimJob job(seed, SimKind::kSynchronous);
    SimCluster cluster(job, seed);
    cluster.Disturb();
    ExpectTrained(job, &cluster);
    ExpectInMemory(job, &cluster);
    found.Add(cluster);
  });
  found.ExpectFaults();
}

TEST(SimulatorTest, AsynchronousGroupsCountEachGradientOnce) {
  Found found;
  ForEachSeed(500, [&](uint64_t seed) {
    const SimJob job(seed, SimKind::kAsynchronous);
    SimCluster cluster(job, seed);
    cluster.Disturb();
    cluster.on_snapshot = [&](SimSnapshot* snapshot) { ExpectCheckpoint(job, *snapshot); };
    ExpectTrained(job, &cluster);
    if (job.elastic()) ExpectConserved(job, &cluster);
    found.Add(cluster);
  });
  found.ExpectFaults();
}

TEST(SimulatorTest, AfterTheLossOfAProcessAllGoOnFromACheckpointWithTheSameBits) {
  Found found;
  ForEachSeed(300, [&](uint64_t seed) {
    const SimJob job(seed, seed % 2 ? SimKind::kSynchronous : SimKind::kAsynchronous);
    SimCluster cluster(job, seed);
    cluster.Disturb();
    cluster.CrashUpTo(static_cast<int>(1 + seed % 3));
    cluster.on_snapshot = [&](SimSnapshot* snapshot) { ExpectCheckpoint(job, *snapshot); };
    ExpectTrained(job, &cluster);
    found.Add(cluster);
  });
  found.ExpectFaults();
  if (!UsualSeeds()) return;
  EXPECT_GT(found.crashes, 300 / static_cast<int64_t>(kShare));
  EXPECT_GT(found.other_start, 10);  // packets of processes that had ended
}

// Steps of replaced processes count once, too, also those that were lost half way.
TEST(SimulatorTest, AnotherProcessTakesTheLostOnesPlaceWhileGroupsGoOn) {
  int64_t replacements = 0;
  ForEachSeed(500, [&](uint64_t seed) {
    const SimJob job(seed, SimKind::kAsynchronous);
    SimCluster cluster(job, seed);
    cluster.Disturb();
    cluster.ReplaceUpTo(static_cast<int>(1 + seed % 3));
    cluster.on_snapshot = [&](SimSnapshot* snapshot) { ExpectCheckpoint(job, *snapshot); };
    ExpectTrained(job, &cluster);
    replacements += cluster.replacements();
  });
  if (!UsualSeeds()) return;
  EXPECT_GT(replacements, 100 / static_cast<int64_t>(kShare));
}

// Nine packets of ten are lost, and each other packet may come late, twice or damaged.
TEST(SimulatorTest, EndsInBoundedTimeHoweverMuchIsLost) {
  ForEachSeed(20, [](uint64_t seed) {
    const SimJob job(seed, seed % 2 ? SimKind::kSynchronous : SimKind::kAsynchronous);
    SimCluster cluster(job, seed);
    cluster.network.faults = {
        .drop = 0.9, .duplicate = 0.3, .flip = 0.2, .refuse = 0.3, .late = 0.3};
    cluster.limit = 24 * 3600 * kSimSecond;
    ExpectTrained(job, &cluster);
  });
}

TEST(SimulatorTest, TheSameSeedIsTheSameRun) {
  const auto run = [](uint64_t seed) {
    const SimJob job(seed, SimKind::kAsynchronous);
    SimCluster cluster(job, seed);
    cluster.Disturb();
    cluster.CrashUpTo(2);
    EXPECT_EQ(cluster.Run(), "");
    const SimCounters& n = cluster.network.counters();
    return std::vector<int64_t>{n.sent, n.arrived, cluster.run.handled,
                                cluster.network.clock().Now()};
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

// The tests below show that errors are noticed.

// Replaces message `nth` of that type, from 1, by the messages that `instead` returns.
void Replace(SimCluster* cluster, WireMessage::Type type, int nth,
             const std::function<std::vector<Message>(Message)>& instead) {
  const auto seen = std::make_shared<int>(0);
  cluster->run.fate = [=](Message message) {
    if (message.head.type() == type && ++*seen == nth) return instead(std::move(message));
    return std::vector<Message>{std::move(message)};
  };
}

TEST(SimulatorTest, SeesALostUpdate) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SimJob job(seed, seed % 2 ? SimKind::kSynchronous : SimKind::kAsynchronous);
    SimCluster cluster(job, seed);
    Replace(&cluster, WireMessage::kUpdate, 2, [](Message) { return std::vector<Message>(); });
    const std::string stuck = cluster.Run();
    EXPECT_NE(stuck.find("waits for steps"), std::string::npos) << stuck;
    EXPECT_NE(stuck.find("about the update of step"), std::string::npos) << stuck;
  }
}

TEST(SimulatorTest, SeesALostExchange) {
  int lost = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SimJob job(seed, SimKind::kAsynchronous);
    if (job.topology().server_groups() == 1) continue;
    ++lost;
    SimCluster cluster(job, seed);
    Replace(&cluster, WireMessage::kSync, 2, [](Message) { return std::vector<Message>(); });
    const std::string stuck = cluster.Run();
    EXPECT_NE(stuck.find("waits for exchanges"), std::string::npos) << stuck;
  }
  EXPECT_GT(lost, 5);
}

// The copy claims to be of the next step. A server at that step takes the copy as valid.
TEST(SimulatorTest, SeesAnUpdateThatCountsTwice) {
  int seen = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const SimJob job(seed, SimKind::kAsynchronous);
    if (!job.counts()) continue;
    SimCluster cluster(job, seed);
    Replace(&cluster, WireMessage::kUpdate, 3, [](const Message& message) {
      Message copy = message;
      copy.head.set_step(copy.head.step() + 1);
      return std::vector<Message>{message, copy};
    });
    const bool wrong = !cluster.Run().empty() || job.Wrong(cluster.Values(0), SimJob::kSteps) > 0;
    EXPECT_TRUE(wrong || cluster.refused() > 0) << "seed " << seed;
    seen += wrong;
  }
  EXPECT_GT(seen, 10);
}

TEST(SimulatorTest, SeesACheckpointThatMixesSteps) {
  int seen = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const SimJob job(seed, SimKind::kAsynchronous);
    if (!job.counts()) continue;
    SimCluster cluster(job, seed);
    cluster.CrashUpTo(2);
    std::vector<SliceState> last;  // their state in the checkpoint before
    cluster.on_snapshot = [&](SimSnapshot* snapshot) {
      const std::vector<SliceState> slices = snapshot->slices;
      if (!last.empty()) snapshot->slices[0] = last[0];
      last = slices;
    };
    const bool wrong = !cluster.Run().empty() || job.Wrong(cluster.Values(0), SimJob::kSteps) > 0;
    seen += wrong;
  }
  EXPECT_GT(seen, 5);
}

}  // namespace
}  // namespace singa
