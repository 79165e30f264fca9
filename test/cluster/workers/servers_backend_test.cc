// Tests the values and updates of worker groups that servers of their process keep in sync.
#include "cluster/workers/servers_backend.h"

#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/cluster/small_groups.h"

namespace singa::servers_backend {
namespace {

constexpr int64_t kFloats = 5 * 3 + 3;  // of "w" and "b"

std::string Served(const std::string& cluster) { return "share_memory: false " + cluster; }

struct ServedGroups : SmallGroups {
  explicit ServedGroups(const std::string& cluster) : SmallGroups(Served(cluster)) {}

  std::vector<SliceState> Gather() {
    return groups.backend().model_state().Gather(groups.steps().done());
  }
  // Returns the values of the gathered slices, without states.
  std::vector<float> ModelOf(const std::vector<SliceState>& slices) {
    const SliceTable& table = groups.lead().model().trained().table;
    std::vector<float> all;
    for (int s = 0; s < table.size(); ++s)
      all.insert(all.end(), slices[s].floats.begin(), slices[s].floats.begin() + table[s].size);
    return all;
  }
};

// The bytes of a worker and its gradients are counted by the teams.
TEST(ServersBackendTest, AddsTheMemoryOfServersAndOfOtherGroupsValues) {
  const auto added = [](const std::string& cluster) {
    WorkerGroups groups(SmallGroupsJob(Served(cluster)), 1);
    JobMemory sum;
    groups.backend().AddMemory(&groups.teams(), &sum);
    EXPECT_EQ(sum.host.total(), sum.host.params + sum.host.updater);
    return std::pair(sum.host.params / 4, sum.host.updater / 4);
  };
  EXPECT_EQ(added(""), std::pair(int64_t{0}, kFloats))
      << "states alone: the server uses the params";
  EXPECT_EQ(added("nworker_groups: 3"), std::pair(2 * kFloats, 2 * kFloats));
}

TEST(ServersBackendTest, StartsAllGroupsWithTheLeadsValues) {
  ServedGroups job("nworker_groups: 2");
  EXPECT_EQ(job.ValuesOf(1), job.ValuesOf(0));
  EXPECT_EQ(job.ModelOf(job.Gather()), job.ValuesOf(0));
}

TEST(ServersBackendTest, GathersTheUpdatesOfAllGroups) {
  ServedGroups job("nworker_groups: 2");
  const std::vector<float> first = job.ValuesOf(0);
  job.Train(0, 0);
  job.Train(1, 0);
  job.Train(1, 1);
  const std::vector<SliceState> slices = job.Gather();
  for (const SliceState& slice : slices) {
    EXPECT_EQ(slice.version, 3);
    EXPECT_EQ(slice.count, 3);
  }
  EXPECT_NE(job.ModelOf(slices), first);
}

// Group 1 computed its gradients from the first values, and group 0's update came in between.
TEST(ServersBackendTest, CountsHowStaleGradientsAre) {
  ServedGroups job("nworker_groups: 2");
  job.Train(0, 0);
  job.Gather();  // waits until the update has been applied
  job.Train(1, 0);
  job.Train(1, 1);  // counts the step before
  const StalenessCounts counts = job.groups.backend().TakeStats(1).staleness;
  EXPECT_EQ(counts.total, 2);  // slices
  EXPECT_EQ(counts.most, 1);
  EXPECT_EQ(job.groups.backend().TakeStats(1).staleness.total, 0);
}

TEST(ServersBackendTest, AFailureEndsTheStepsOfItsGroups) {
  ServedGroups job("nworker_groups: 2");
  job.groups.backend().Fail(std::make_exception_ptr(DivergedError("no more")));
  EXPECT_THROW(job.Train(1, 0), DivergedError);
}

TEST(ServersBackendTest, WatchesItsServers) {
  ServedGroups job("nworker_groups: 2 nservers_per_group: 2 stall_timeout: 1");
  StallDetector detector(kSecond);
  job.groups.backend().Watch(" in process 4", &detector);
  EXPECT_EQ(detector.Look(0), std::nullopt);
  const std::string all = detector.Describe(0);
  for (const char* name : {"server 0 of group 0 in process 4", "server 1 of group 0 in process 4"})
    EXPECT_NE(all.find(name), std::string::npos) << all;
}

}  // namespace
}  // namespace singa::servers_backend
