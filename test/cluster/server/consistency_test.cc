// Tests how far worker groups of one server group may be apart.
#include "singa/cluster/consistency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "singa/base/error.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

const std::vector<Shape> kTwoSlices = {{3}, {2}};

std::vector<float> Ones(const ClusterOfRoles& cluster, int slice) {
  return std::vector<float>(cluster.table[slice].size, -1.f);
}

// Lets no message reach group 1 after its first values, so the group contributes to step 0 alone.
void HoldGroup1(ClusterOfRoles* cluster) {
  cluster->fate = [](Posted* posted) {
    const WireMessage& head = posted->message.head;
    const bool to_group_1 = head.to().role() == Address::kClient && head.to().group() == 1;
    return to_group_1 && head.part(0).step() >= 0 ? 0 : 1;
  };
  cluster->Start(std::vector<float>(5));
  cluster->Train(20, [cluster](int, int, int64_t, int slice) { return Ones(*cluster, slice); });
}

const std::string kBounded = "user_consistency: 'kBoundedStaleness' max_staleness: ";

struct Bound {
  std::string conf;
  int64_t done;  // steps that group 0 can begin while group 1 has done one
};

TEST(Consistency, BoundsHowFarAGroupIsAhead) {
  for (const Bound& bound : {Bound{"", 20}, Bound{kBounded + "1", 3}, Bound{kBounded + "3", 5},
                             Bound{kBounded + "30", 20}, Bound{"max_staleness: 1", 20},
                             Bound{"user_consistency: 'kSynchronous'", 2}})
    for (uint32_t seed = 0; seed < 20; ++seed) {
      ClusterOfRoles cluster(JobOf(kSumUpdater, StrCat("nworker_groups: 2 ", bound.conf)),
                             kTwoSlices, seed);
      HoldGroup1(&cluster);
      EXPECT_EQ(cluster.done(1, 1), 1) << bound.conf;
      EXPECT_EQ(cluster.done(0, 0), bound.done) << bound.conf;
    }
}

TEST(Consistency, CountsStaleness) {
  ClusterOfRoles alone(JobOf(kSumUpdater, ""), kTwoSlices, 0);
  alone.Start(std::vector<float>(5));
  alone.Train(4, [&](int, int, int64_t, int slice) { return Ones(alone, slice); });
  EXPECT_EQ(alone.server({0, 0}).counts().staleness.updates[0], 8);  // 4 steps of 2 slices
  EXPECT_EQ(alone.client(0, 0).TakeStaleness().total, 0);            // there is no other group

  // Two groups begin together, so the second's first gradients are one update old.
  ClusterOfRoles both(JobOf(kSumUpdater, "nworker_groups: 2 user_consistency: 'kSynchronous'"),
                      kTwoSlices, 0);
  both.Start(std::vector<float>(5));
  both.Train(4, [&](int, int, int64_t, int slice) { return Ones(both, slice); });
  EXPECT_EQ(both.server({0, 0}).counts().staleness.updates[0], 8);
  EXPECT_EQ(both.server({0, 0}).counts().staleness.updates[1], 8);
  EXPECT_EQ(both.server({0, 0}).counts().applied, 16);
  // Each client counts its own updates, except those of the last step.
  EXPECT_EQ(both.client(0, 0).TakeStaleness().Histogram(), (std::vector<int64_t>{6}));
  const StalenessCounts second = both.client(1, 1).TakeStaleness();
  EXPECT_EQ(second.Histogram(), (std::vector<int64_t>{0, 6}));
  EXPECT_EQ(second.total, 6);
  EXPECT_EQ(second.mean(), 1);
  EXPECT_EQ(second.most, 1);
  EXPECT_EQ(both.client(1, 1).TakeStaleness().total, 0);
}

// The first group reads again before the second has taken its first step.
TEST(Consistency, CountsAsStaleWhatOthersHaveUpdatedSince) {
  ClusterOfRoles cluster(JobOf(kSumUpdater, "nworker_groups: 2"), kTwoSlices, 0);
  std::deque<Posted> kept;
  cluster.fate = [&](Posted* posted) {
    const WireMessage& head = posted->message.head;
    if (head.type() != WireMessage::kUpdate || head.from().group() == 0) return 1;
    kept.push_back(*posted);
    return 0;
  };
  cluster.Start(std::vector<float>(5));
  cluster.Train(3, [&](int, int, int64_t, int slice) { return Ones(cluster, slice); });
  ASSERT_EQ(kept.size(), 1u);
  cluster.fate = nullptr;
  cluster.server({0, 0}).OnMessage(1, kept[0].message);
  cluster.RunUntilQuiet();
  EXPECT_EQ(cluster.client(0, 0).TakeStaleness().Histogram(), (std::vector<int64_t>{4}));
  // The client has done steps 0, 1 and 2. The last one is not counted yet.
  EXPECT_EQ(cluster.client(1, 1).TakeStaleness().Histogram(), (std::vector<int64_t>{2, 0, 0, 2}));
}

TEST(Consistency, SynchronousGroupsHaveTheSameBitsInAnyOrder) {
  std::vector<float> first;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    ClusterOfRoles cluster(JobOf(StrCat(kSumUpdater, " momentum: 0.9"),
                                 "nworker_groups: 3 user_consistency: 'kSynchronous'"),
                           kTwoSlices, seed);
    cluster.Start(std::vector<float>(5));
    cluster.Train(6, [&](int group, int, int64_t step, int slice) {
      std::vector<float> gradient(cluster.table[slice].size);
      const Philox philox = {1, HashName(StrCat(group, ".", slice)), static_cast<uint32_t>(step)};
      for (size_t i = 0; i < gradient.size(); ++i) gradient[i] = philox.Gaussian(i);
      return gradient;
    });
    if (first.empty()) first = cluster.Values(0);
    ASSERT_EQ(cluster.Values(0), first) << seed;
  }
}

// EvenFirst is a consistency of a user: odd groups get no answer before even ones have taken the
// step.
class EvenFirst final : public Consistency {
 public:
  bool MayAnswer(std::span<const GroupClock> clocks, int group) const override {
    for (size_t g = 0; g < clocks.size(); g += 2)
      if (group % 2 == 1 && clocks[g].step < clocks[group].step) return false;
    return true;
  }
};
SINGA_REGISTER_CONSISTENCY(EvenFirst, EvenFirst);

TEST(Consistency, CanBeAUsers) {
  ClusterOfRoles cluster(JobOf(kSumUpdater, "nworker_groups: 2 user_consistency: 'EvenFirst'"),
                         kTwoSlices, 0);
  cluster.fate = [](Posted* posted) {  // group 0's updates are lost
    const WireMessage& head = posted->message.head;
    return head.type() == WireMessage::kUpdate && head.from().group() == 0 ? 0 : 1;
  };
  cluster.Start(std::vector<float>(5));
  cluster.Train(4, [&](int, int, int64_t, int slice) { return Ones(cluster, slice); });
  EXPECT_EQ(cluster.done(1, 1), 1);
}

TEST(Consistency, OfAnUnknownNameIsAnError) {
  try {
    MakeConsistency(JobOf(kSumUpdater, "user_consistency: 'kSynchronus'").cluster());
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "user_consistency");
    EXPECT_EQ(error.message(),
              "nothing is registered as \"kSynchronus\"; did you mean \"kSynchronous\"?");
  }
}

}  // namespace
}  // namespace singa
