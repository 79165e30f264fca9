// Tests that servers train the same bits as GroupExchange in one process, with any number of
// servers. Steps whose gradients are not finite are dropped completely.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/add_neighbours.h"
#include "support/cluster/cluster_of_roles.h"
#include "train/apply/replica_updates.h"
#include "train/reduce/group_exchange.h"

namespace singa {
namespace {

const std::vector<Shape> kNineSlices = {{40, 60}, {60}, {60, 50}, {50}, {7}};
const std::vector<ParamScale> kScales = {{1, 1}, {2, 0}, {1, 1}, {2, 0}, {0.5f, 3}};
constexpr int64_t kStepsTrained = 5;

#ifdef SINGA_SANITIZED
constexpr uint32_t kUpdateSeeds = 1;
#else
constexpr uint32_t kUpdateSeeds = 4;
#endif

// Returns numbers of N(0, 1), which depend on (purpose, step) alone.
std::vector<float> Numbers(const std::string& purpose, int64_t step, int64_t n) {
  const Philox philox = {1, HashName(purpose), static_cast<uint32_t>(step)};
  std::vector<float> numbers(n);
  for (int64_t i = 0; i < n; ++i) numbers[i] = philox.Gaussian(i);
  return numbers;
}

std::vector<float> First(const SliceTable& table) { return Numbers("first", 0, table.elements()); }

std::vector<float> Gradient(const SliceTable& table, int process, int64_t step, int slice) {
  return Numbers(StrCat("gradient", process, ".", slice), step, table[slice].size);
}

// Trains by GroupExchange instead, with sums over `processes` processes.
std::vector<float> Locally(const JobProto& job, const SliceTable& table, int processes) {
  StepState step;
  Context ctx;
  ctx.state = &step;
  Replica replica(job);
  ReplicaUpdates updates(job, &replica);
  std::vector<std::unique_ptr<Param>> params;
  std::vector<float> values = First(table);
  int64_t begin = 0;
  for (size_t p = 0; p < kNineSlices.size(); ++p) {
    ParamProto conf;
    conf.set_lr_scale(kScales[p].lr);
    conf.set_wd_scale(kScales[p].wd);
    params.push_back(std::make_unique<Param>(StrCat("w", p), "layer", "", conf, kNineSlices[p]));
    params[p]->data.Bind(values.data() + begin);
    begin += params[p]->size();
  }
  std::vector<Param*> all;
  for (const auto& param : params) all.push_back(param.get());
  GradientReduction reduction(table, &updates, {});
  updates.Attach(table, all);
  GroupExchange exchange(&reduction, 0, &ctx, {all, std::vector<bool>(all.size())});
  for (; step.step < kStepsTrained; ++step.step) {
    for (int s = 0; s < table.size(); ++s) {
      float* const grad = params[table[s].param]->grad.data() + table[s].begin;
      std::vector<std::vector<float>> of_each;
      for (int p = 0; p < processes; ++p) of_each.push_back(Gradient(table, p, step.step, s));
      std::ranges::copy(AddNeighbours(std::move(of_each)), grad);
    }
    for (auto& param : params) exchange.GradientReady(param.get(), step.step);
    exchange.Finish(step.step);
  }
  return values;
}

struct ServedTraining {
  std::string updater;
  int processes, servers;
};
void PrintTo(const ServedTraining& one, std::ostream* out) {
  *out << one.updater << ", " << one.processes << " processes, " << one.servers << " servers";
}
std::vector<ServedTraining> ServedTrainings() {
  std::vector<ServedTraining> cases;
  for (const char* updater : {"type: kSGD", "type: kSGD momentum: 0.9 weight_decay: 0.01",
                              "type: kAdam", "type: kAdamW weight_decay: 0.01", "type: kAdaDelta",
                              "type: kSGD clip_norm: 1e30", "type: kSGD clip_low: -1 clip_high: 1"})
    for (const int processes : {1, 2, 3, 6})
      for (int servers = 1; servers <= 11; servers += 2)  // with 11, some servers have no slice
        cases.push_back({StrCat(updater, kHalvingRate), processes, servers});
  return cases;
}

ClusterOfRoles ClusterFor(const ServedTraining& conf, uint32_t seed, const std::string& rest = "",
                          int64_t first_step = 0) {
  return ClusterOfRoles(
      JobOf(conf.updater,
            StrCat("nworkers_per_group: ", conf.processes, " nservers_per_group: ", conf.servers),
            rest),
      kNineSlices, seed, kScales, first_step);
}

void Train(ClusterOfRoles* cluster) {
  cluster->Start(First(cluster->table));
  cluster->Train(kStepsTrained, [&](int, int process, int64_t step, int slice) {
    return Gradient(cluster->table, process, step, slice);
  });
}

class UpdateTest : public ::testing::TestWithParam<ServedTraining> {};
INSTANTIATE_TEST_SUITE_P(Cluster, UpdateTest, ::testing::ValuesIn(ServedTrainings()));

TEST_P(UpdateTest, IsThatOfOneProcessBitForBit) {
  for (uint32_t seed = 0; seed < kUpdateSeeds; ++seed) {
    ClusterOfRoles cluster = ClusterFor(GetParam(), seed);
    Train(&cluster);
    const std::vector<float> expected = Locally(cluster.job, cluster.table, GetParam().processes);
    EXPECT_EQ(cluster.Values(0), expected);
    for (int p = 0; p < GetParam().processes; ++p) EXPECT_EQ(cluster.memory(0, p), expected);
    EXPECT_EQ(cluster.refused(), 0);
  }
}

TEST(UpdateTest, CutsGradientsByTheNormOverAllServers) {
  std::vector<float> one_server;
  for (const int servers : {1, 2, 3}) {
    ClusterOfRoles cluster =
        ClusterFor({StrCat("type: kSGD clip_norm: 3", kHalvingRate), 2, servers}, 0);
    Train(&cluster);
    const std::vector<float> expected = Locally(cluster.job, cluster.table, 2);
    const std::vector<float> values = cluster.Values(0);
    for (size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], 1e-6) << i;
    if (servers == 1) one_server = values;
    EXPECT_EQ(values, one_server);  // squares are added slice by slice
  }
}

// Returns the norm of the last step's gradients, added up over the two processes.
double NormByHand(const SliceTable& table) {
  double squares = 0;
  for (int s = 0; s < table.size(); ++s) {
    const std::vector<float> a = Gradient(table, 0, kStepsTrained - 1, s);
    const std::vector<float> b = Gradient(table, 1, kStepsTrained - 1, s);
    for (size_t i = 0; i < a.size(); ++i) squares += std::pow(double{a[i]} + b[i], 2);
  }
  return std::sqrt(squares);
}

TEST(UpdateTest, TellsEachClientTheNormBeforeItIsBounded) {
  for (const int servers : {1, 2, 3})
    for (const char* updater : {"type: kSGD clip_norm: 3", "type: kSGD clip_norm: 1e30"}) {
      ClusterOfRoles cluster = ClusterFor({StrCat(updater, kHalvingRate), 2, servers}, 0);
      Train(&cluster);
      const double norm = NormByHand(cluster.table);
      for (const int process : {0, 1}) {
        EXPECT_TRUE(cluster.client(0, process).GradientNorm(kStepsTrained - 1).has_value());
        EXPECT_NEAR(cluster.client(0, process).GradientNorm(kStepsTrained - 1).value(), norm,
                    1e-6 * norm);
      }
    }
}

TEST(UpdateTest, TellsNoNormOfADroppedStepOrWithoutABound) {
  for (const bool bounded : {false, true}) {
    const std::string updater = StrCat("type: kSGD", bounded ? " clip_norm: 3" : "", kHalvingRate);
    ClusterOfRoles cluster = ClusterFor({updater, 2, 2}, 0, "on_nonfinite: kSkip");
    cluster.Start(First(cluster.table));
    cluster.Train(kStepsTrained, [&](int, int process, int64_t step, int slice) {
      std::vector<float> gradient = Gradient(cluster.table, process, step, slice);
      if (bounded && step == kStepsTrained - 1 && slice == 2) gradient[0] = std::nanf("");
      return gradient;
    });
    EXPECT_TRUE(cluster.client(0, 1).GradientNorm(kStepsTrained - 1).has_value());
    EXPECT_TRUE(std::isnan(cluster.client(0, 1).GradientNorm(kStepsTrained - 1).value()));
  }
}

TEST(UpdateTest, AppliesNoGradientThatIsNotFinite) {
  ClusterOfRoles cluster = ClusterFor({StrCat("type: kSGD", kHalvingRate), 2, 2}, 0);
  cluster.Start(First(cluster.table));
  cluster.Train(kStepsTrained, [&](int, int process, int64_t step, int slice) {
    std::vector<float> gradient = Gradient(cluster.table, process, step, slice);
    if (process == 1 && step == 3 && slice == 2)
      gradient.back() = std::numeric_limits<float>::infinity();
    return gradient;
  });
  ASSERT_EQ(cluster.diverged().size(), 1u);
  EXPECT_EQ(cluster.diverged()[0],
            "step 3: the gradient of slice 2 of param \"w0\" of layer \"layer\" is not finite");
  EXPECT_EQ(cluster.done(0, 0), 4);  // the fifth step waits for ever
  for (const float value : cluster.Values(0)) ASSERT_TRUE(std::isfinite(value));
}

// A process may have any number of workers. It sends its sums of the tree to the servers.
TEST(UpdateTest, IsThatOfOneProcessHoweverManyWorkersAProcessHas) {
  const std::string updater = StrCat("type: kAdam clip_norm: 1", kHalvingRate);
  for (const int workers : {4, 5, 6, 7, 12})
    for (const int each : {1, 2, 3, 4, 6}) {
      if (workers % each != 0 || workers == each) continue;
      const auto conf =
          JobOf(updater, StrCat("nworkers_per_group: ", workers, " nworkers_per_procs: ", each,
                                " nservers_per_group: 2"));
      ClusterOfRoles cluster(conf, kNineSlices, 0, kScales);
      cluster.Start(First(cluster.table));
      cluster.Train(kStepsTrained, [&](int, int process, int64_t step, int slice) {
        std::vector<float> sums;
        for (const SumNode& node : cluster.topology.NodesOf(process, 0)) {
          std::vector<std::vector<float>> all;
          for (int w = node.first; w < node.last; ++w)
            all.push_back(Gradient(cluster.table, w, step, slice));
          const std::vector<float> sum = AddNeighbours(std::move(all));
          sums.insert(sums.end(), sum.begin(), sum.end());
        }
        return sums;
      });
      EXPECT_EQ(cluster.Values(0), Locally(cluster.job, cluster.table, workers))
          << workers << " workers, " << each << " a process";
      EXPECT_EQ(cluster.refused(), 0);
    }
}

// A process without a finite loss pushes nothing. A process with a NaN in a gradient pushes the
// NaN.
TEST(UpdateTest, SkipsAStepOnAllServers) {
  for (const int servers : {1, 2, 3})
    for (const bool none : {false, true}) {
      ClusterOfRoles cluster =
          ClusterFor({StrCat("type: kSGD", kHalvingRate), 2, servers}, 0, "on_nonfinite: kSkip");
      ClusterOfRoles twin =
          ClusterFor({StrCat("type: kSGD", kHalvingRate), 2, servers}, 0, "on_nonfinite: kSkip");
      cluster.Start(First(cluster.table));
      cluster.Train(kStepsTrained, [&](int, int process, int64_t step, int slice) {
        std::vector<float> gradient = Gradient(cluster.table, process, step, slice);
        const bool bad = process == 1 && step == 3;
        if (bad && slice == 2) gradient[0] = std::nanf("");
        return bad && none ? std::vector<float>() : gradient;
      });
      twin.Start(First(twin.table));
      twin.Train(kStepsTrained, [&](int, int process, int64_t step, int slice) {
        std::vector<float> gradient = Gradient(twin.table, process, step, slice);
        if (step == 3) std::fill(gradient.begin(), gradient.end(), 0.f);  // of kSGD: no change
        return gradient;
      });
      EXPECT_EQ(cluster.done(0, 0), kStepsTrained);
      EXPECT_EQ(cluster.Values(0), twin.Values(0));
      EXPECT_TRUE(cluster.diverged().empty());
      for (int s = 0; s < servers; ++s)
        EXPECT_EQ(cluster.server({0, s}).counts().skipped, 1) << servers << " " << none;
      EXPECT_EQ(cluster.server({0, 0}).shard().version(0), kStepsTrained);
      EXPECT_EQ(cluster.server({0, 0}).shard().count(0), kStepsTrained - 1);
    }
}

TEST(UpdateTest, GoesOnFromAGatheredState) {
  const ServedTraining conf = {StrCat("type: kAdam", kHalvingRate), 2, 3};
  ClusterOfRoles whole = ClusterFor(conf, 0);
  Train(&whole);
  const GradientOf gradient = [&](int, int process, int64_t step, int slice) {
    return Gradient(whole.table, process, step, slice);
  };
  ClusterOfRoles first = ClusterFor(conf, 1);
  first.Start(First(first.table));
  first.Train(2, gradient);
  first.client(0, 0).gather().Ask(0);
  EXPECT_FALSE(first.client(0, 0).gather().complete());
  first.RunUntilQuiet();
  ASSERT_TRUE(first.client(0, 0).gather().complete());
  const std::vector<SliceState> states = first.client(0, 0).gather().Take();
  // The second job continues on other servers, from step 2.
  ClusterOfRoles second = ClusterFor({conf.updater, 2, 2}, 2, "", 2);
  for (int s = 0; s < second.table.size(); ++s) {
    EXPECT_EQ(states[s].version, 2);
    EXPECT_EQ(states[s].count, 2);
    second.client(0, 0).Put(s, states[s]);
  }
  second.client(0, 0).Flush();
  for (int p = 0; p < 2; ++p) second.client(0, p).GetAll(2);
  second.Train(kStepsTrained - 2, gradient);
  EXPECT_EQ(second.client(0, 0).version(0), kStepsTrained);
  EXPECT_EQ(second.Values(0), whole.Values(0));
}

}  // namespace
}  // namespace singa
