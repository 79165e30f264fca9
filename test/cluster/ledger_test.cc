// Counts updates with a ledger. In step s, worker w has a gradient that is -1 in slot (w, s) and 0
// elsewhere. The updater subtracts it from the values at rate 1. A slot that is not 1 at the end
// shows a gradient that was lost or counted twice.
#include <gtest/gtest.h>

#include <numeric>

#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

#ifdef SINGA_SANITIZED
constexpr uint32_t kLedgerSeeds = 50;
#else
constexpr uint32_t kLedgerSeeds = 300;
#endif

// Returns shapes with `elements` elements in all, of params with one slice each.
std::vector<Shape> Shapes(int64_t elements) {
  const int64_t cut = elements / 4;
  return {{cut}, {cut}, {1}, {elements - 2 * cut - 1}};
}

class Ledger {
 public:
  Ledger(const std::string& conf, uint32_t seed, const std::string& updater = kSumUpdater)
      : cluster(JobOf(updater, conf), Shapes(Workers(conf) * kSteps), seed) {
    int64_t begin = 0;
    for (const Slice& slice : cluster.table.slices()) {
      begins_.push_back(begin);
      begin += slice.size;
    }
  }

  void Run() {
    cluster.Start(std::vector<float>(cluster.table.elements()));
    cluster.Train(kSteps, [this](int group, int process, int64_t step, int slice) {
      return Gradient(group, process, step, slice);
    });
  }
  bool finished() {
    for (int g = 0; g < cluster.topology.worker_groups(); ++g) {
      const Range all = cluster.topology.ProcessesOf(g);
      for (int p = all.first; p < all.last; ++p)
        if (cluster.done(g, p) < kSteps) return false;
    }
    return true;
  }
  // Returns the number of slots of server group `group` that are not 1.
  int Wrong(int group) {
    const std::vector<float> values = cluster.Values(group);
    return static_cast<int>(values.size()) -
           static_cast<int>(std::count(values.begin(), values.end(), 1.f));
  }

 private:
  static constexpr int64_t kSteps = 6;
  static int64_t Workers(const std::string& conf) {
    const ClusterProto proto = JobOf(kSumUpdater, conf).cluster();
    return proto.nworker_groups() * proto.nworkers_per_group();
  }
  // Returns the gradient of all workers of the group in this process.
  std::vector<float> Gradient(int group, int process, int64_t step, int slice) {
    std::vector<float> gradient(cluster.table[slice].size);
    for (const RoleId& worker : cluster.topology.Workers(process)) {
      if (worker.group != group) continue;
      const int64_t w = worker.group * cluster.topology.workers_per_group() + worker.id;
      const int64_t at = w * kSteps + step - begins_[slice];
      if (at >= 0 && at < std::ssize(gradient)) gradient[at] = -1;
    }
    return gradient;
  }
  std::vector<int64_t> begins_;

 public:
  ClusterOfRoles cluster;
};

struct Framework {
  std::string name, conf;
  std::string updater = kSumUpdater;
};
void PrintTo(const Framework& one, std::ostream* out) { *out << one.conf; }

std::vector<Framework> Frameworks() {
  std::vector<Framework> cases;
  for (int processes = 1; processes <= 4; ++processes)
    for (int servers = 1; servers <= 3; ++servers)
      cases.push_back(
          {StrCat("Synchronous", processes, "x", servers),
           StrCat("nworkers_per_group: ", processes, " nservers_per_group: ", servers)});
  cases.push_back({"TwoWorkersAProcess", "nworkers_per_group: 4 nworkers_per_procs: 2"});
  cases.push_back(
      {"Sandblaster", "nworkers_per_group: 3 nservers_per_group: 2 server_worker_separate: true"});
  const std::string downpour =
      "nworker_groups: 2 nworkers_per_group: 2 nservers_per_group: 2 server_worker_separate: true ";
  cases.push_back({"Downpour", downpour});
  cases.push_back(
      {"DownpourBounded", downpour + "user_consistency: 'kBoundedStaleness' max_staleness: 1"});
  cases.push_back({"DownpourSynchronous", downpour + "user_consistency: 'kSynchronous'"});
  for (const char* sync : {"kMaster", "kRing"})
    for (int freq = 1; freq <= 4; freq += 3)
      for (int servers = 1; servers <= 2; ++servers)
        cases.push_back({StrCat("Hogwild", sync, freq, "x", servers),
                         StrCat("nworker_groups: 3 nserver_groups: 3 nservers_per_group: ", servers,
                                " sync_freq: ", freq, " group_sync: ", sync)});
  cases.push_back({"HogwildOfDownpours",
                   "nworker_groups: 4 nserver_groups: 2 nworkers_per_group: 2 sync_freq: 2"});
  // Slices of one step wait for each other in these topologies.
  for (const char* conf : {"nworkers_per_group: 3 nservers_per_group: 3",
                           "nworker_groups: 4 nserver_groups: 2 nservers_per_group: 2",
                           "nworker_groups: 2 nworkers_per_group: 2 nservers_per_group: 2 "
                           "user_consistency: 'kSynchronous'"})
    cases.push_back(
        {StrCat("ClipNorm", cases.size()), conf, StrCat(kSumUpdater, " clip_norm: 1e30")});
  return cases;
}

class LedgerTest : public ::testing::TestWithParam<Framework> {};
INSTANTIATE_TEST_SUITE_P(Cluster, LedgerTest, ::testing::ValuesIn(Frameworks()),
                         [](const auto& one) { return one.param.name; });

TEST_P(LedgerTest, CountsEachGradientOnce) {
  for (uint32_t seed = 0; seed < kLedgerSeeds; ++seed) {
    Ledger ledger(GetParam().conf, seed, GetParam().updater);
    ledger.Run();
    ASSERT_TRUE(ledger.finished()) << "seed " << seed;
    ledger.cluster.Equalise();
    for (int g = 0; g < ledger.cluster.topology.server_groups(); ++g)
      ASSERT_EQ(ledger.Wrong(g), 0) << "seed " << seed << ", server group " << g;
    ASSERT_EQ(ledger.cluster.refused(), 0) << "seed " << seed;
  }
}

// An elastic exchange moves values between a group and the centre. So the sum of all replicas and
// centres grows by gradients alone.
TEST(LedgerTest, ElasticExchangeConserves) {
  for (uint32_t seed = 0; seed < kLedgerSeeds; ++seed) {
    Ledger ledger(
        "nworker_groups: 3 nserver_groups: 3 sync_freq: 2 group_sync: kElastic elastic_alpha: 0.25",
        seed);
    ledger.Run();
    ASSERT_TRUE(ledger.finished());
    std::vector<float> sum(ledger.cluster.table.elements());
    for (int g = 0; g < 3; ++g) {
      const std::vector<float> values = ledger.cluster.Values(g);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
    }
    Client& client = ledger.cluster.client(0, 0);
    client.gather().Ask(0);
    ledger.cluster.RunUntilQuiet();
    ASSERT_TRUE(client.gather().complete());
    std::vector<float> centre;
    for (const SliceState& slice : client.gather().Take())
      centre.insert(centre.end(), slice.floats.begin(), slice.floats.end());
    ASSERT_EQ(centre.size(), sum.size());
    // Both sides use the same float e of an exchange, so only sums round.
    for (size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i] + centre[i], 1, 1e-6) << i;
    EXPECT_GT(std::accumulate(centre.begin(), centre.end(), 0.f), 1);
  }
}

// The tests below show that the ledger sees errors.

bool IsUpdate(const Posted& posted) { return posted.message.head.type() == WireMessage::kUpdate; }

TEST(LedgerTest, SeesALostUpdate) {
  Ledger ledger("nworkers_per_group: 2", 7);
  int updates = 0;
  ledger.cluster.fate = [&](Posted* posted) { return IsUpdate(*posted) && ++updates == 5 ? 0 : 1; };
  ledger.Run();
  EXPECT_FALSE(ledger.finished());
  EXPECT_GT(ledger.Wrong(0), 0);
  ledger.cluster.clock.now = 3'200'000'000;
  const std::string waiting = ledger.cluster.server({0, 0}).Waiting();
  EXPECT_NE(waiting.find("of worker group 0 waits for process"), std::string::npos) << waiting;
  EXPECT_NE(waiting.find(", since 3.2 s"), std::string::npos) << waiting;
  const std::vector<std::string> lines = ledger.cluster.client(0, 0).Waiting();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("server 0 of group 0 in process 0: no answer for 3.2 s about the update"),
            std::string::npos)
      << lines[0];
}

TEST(LedgerTest, SeesAnUpdateThatCountsTwice) {
  Ledger ledger("", 7);
  // The second copy claims to be of the next step, whose own gradient is then too late.
  int updates = 0;
  ledger.cluster.fate = [&](Posted* posted) {
    if (!IsUpdate(*posted) || ++updates != 2) return 1;
    Server& server = ledger.cluster.server({0, 0});
    server.OnMessage(0, posted->message);
    posted->message.head.set_step(posted->message.head.step() + 1);
    return 1;
  };
  ledger.Run();
  EXPECT_GT(ledger.Wrong(0), 0);
}

TEST(LedgerTest, IsRightWhereEachMessageComesTwice) {
  for (const char* conf : {"nworkers_per_group: 3 nservers_per_group: 2",
                           "nworker_groups: 3 nserver_groups: 3 sync_freq: 1",
                           "nworker_groups: 3 nserver_groups: 3 group_sync: kRing sync_freq: 2"})
    for (uint32_t seed = 0; seed < 20; ++seed) {
      Ledger ledger(conf, seed);
      ledger.cluster.fate = [](Posted*) { return 2; };
      ledger.Run();
      ASSERT_TRUE(ledger.finished()) << conf;
      ledger.cluster.Equalise();
      for (int g = 0; g < ledger.cluster.topology.server_groups(); ++g)
        ASSERT_EQ(ledger.Wrong(g), 0) << conf << ", seed " << seed;
      ASSERT_GT(ledger.cluster.refused(), 0) << conf;
    }
}

TEST(LedgerTest, SeesALostExchange) {
  Ledger ledger("nworker_groups: 3 nserver_groups: 3 sync_freq: 1", 7);
  int exchanges = 0;
  ledger.cluster.fate = [&](Posted* posted) {
    return posted->message.head.type() == WireMessage::kSync && ++exchanges == 3 ? 0 : 1;
  };
  ledger.Run();
  ledger.cluster.Equalise();
  EXPECT_GT(ledger.Wrong(0) + ledger.Wrong(1) + ledger.Wrong(2), 0);
}

}  // namespace
}  // namespace singa
