// Tests which backend a plan gets, by what it gives to teams. Each backend has a test of its own.
#include "cluster/workers/sync_backend.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "singa/base/error.h"
#include "support/cluster/small_groups.h"
#include "support/threaded_job.h"

namespace singa {
namespace {

// OneBackend has the backend of a job's one process.
struct OneBackend {
  explicit OneBackend(const std::string& cluster)
      : job(SmallGroupsJob(cluster)), plan(PlanSync(job, {.in_one_process = true})) {}

  const JobProto job;
  const SyncPlan plan;
  Replica replica{job};
  const ProgressDeadline deadline{std::chrono::milliseconds(30'000)};  // for a test that fails
  const std::unique_ptr<SyncBackend> backend =
      MakeSyncBackend({job, plan, nullptr, &deadline, &replica}, nullptr, {});
};

// Returns what the backend of rank 0 of two processes gives to group 0.
struct TwoProcesses {
  TwoProcesses(const std::string& cluster, SyncMode mode, std::optional<GpuGroupId> gpus = {})
      : job(SmallGroupsJob("nworkers_per_group: 2 " + cluster)), plan(processes[0].part().plan()) {
    plan.mode = mode;
    backend = MakeSyncBackend({job, plan, &processes[0], &deadline, &replica}, nullptr, gpus);
    sync = backend->SyncOf(0);
  }

  const JobProto job;
  ThreadedJob processes{job};
  SyncPlan plan;
  Replica replica{job};
  const ProgressDeadline deadline{std::chrono::milliseconds(30'000)};  // for a test that fails
  std::unique_ptr<SyncBackend> backend;
  TeamSync sync;
};

// Returns the text of the error that `work` ends with.
std::string TextOfError(const std::function<void()>& work) {
  try {
    work();
  } catch (const DivergedError& error) {
    return error.what();
  }
  return "";
}

TEST(SyncBackendTest, ThreadsUpdateTheValuesThemselves) {
  const OneBackend one("nworker_groups: 2");
  ASSERT_EQ(one.plan.mode, SyncMode::kThreads);
  const TeamSync first = one.backend->SyncOf(0), second = one.backend->SyncOf(1);
  EXPECT_TRUE(first.updates->own_values());
  EXPECT_NE(first.updates, second.updates) << "each group has steps of its own";
  EXPECT_EQ(first.between, nullptr);
  EXPECT_TRUE(one.backend->model_state().Gather({0, 0}).empty()) << "the replica is the model";
}

TEST(SyncBackendTest, OneWorkerUpdatesItsValues) {
  const OneBackend one("");
  ASSERT_EQ(one.plan.mode, SyncMode::kAlone);
  EXPECT_TRUE(one.backend->SyncOf(0).updates->own_values());
}

TEST(SyncBackendTest, NamesTheWorkerWhoseLossIsNotFinite) {
  const auto text = [](SliceUpdates* updates, int worker) {
    return TextOfError([&] { updates->LossNotFinite("loss", 3, worker); });
  };
  const std::string loss = "step 3: the loss of layer \"loss\" is not finite";
  const OneBackend one(""), two("nworkers_per_group: 2"), groups("nworker_groups: 2");
  EXPECT_EQ(text(one.backend->SyncOf(0).updates, 0), loss);
  EXPECT_EQ(text(two.backend->SyncOf(0).updates, 1), loss + ", at worker 1");
  EXPECT_EQ(text(groups.backend->SyncOf(1).updates, 0), loss + ", at worker 0 of group 1");
  const TwoProcesses shared("", SyncMode::kHostMemory);
  EXPECT_EQ(text(shared.sync.updates, 1), loss + ", at worker 1, in process 1");
}

TEST(SyncBackendTest, ServersUpdateTheValuesOfWorkers) {
  const OneBackend one("nworker_groups: 2 share_memory: false");
  ASSERT_EQ(one.plan.mode, SyncMode::kServers);
  const TeamSync sync = one.backend->SyncOf(0);
  EXPECT_FALSE(sync.updates->own_values());
  EXPECT_FALSE(sync.shares_host);
}

TEST(SyncBackendTest, ProcessesOfServersAddNumbersUpByMessages) {
  const TwoProcesses two("share_memory: false", SyncMode::kServers);
  ASSERT_NE(two.sync.between, nullptr);
  EXPECT_EQ(two.sync.between->size(), 2);
}

TEST(SyncBackendTest, ProcessesOfOneHostShareItsMemory) {
  const TwoProcesses two("", SyncMode::kHostMemory);
  EXPECT_TRUE(two.sync.shares_host);
  EXPECT_TRUE(two.sync.updates->own_values());
  EXPECT_FALSE(two.sync.gpus.has_value());
}

TEST(SyncBackendTest, RanksHaveValuesAndAddUpByMessages) {
  const TwoProcesses two("share_memory: false all_reduce { compression: kPowerSGD }",
                         SyncMode::kRankSums);
  EXPECT_FALSE(two.sync.updates->own_values()) << "no device may have them";
  ASSERT_NE(two.sync.between, nullptr);
  EXPECT_EQ(two.sync.link.link->size(), 2);
  EXPECT_EQ(two.backend->TakeStats(0).bytes_sent, 0) << "the stub counts messages of the job";
}

TEST(SyncBackendTest, GpusOfAllWorkersJoinOneGroup) {
  GpuGroupId id;
  id.fill(std::byte{7});
  const TwoProcesses two("all_reduce {}", SyncMode::kAllReduce, id);
  ASSERT_TRUE(two.sync.gpus.has_value());
  EXPECT_EQ(two.sync.gpus->id, id);
  EXPECT_EQ(two.sync.gpus->members, 2);
  EXPECT_EQ(two.sync.gpus->deadline, &two.deadline);
}

TEST(SyncBackendTest, OnlyServersHaveTheValuesOfALostGroup) {
  const OneBackend one("nworker_groups: 2");
  EXPECT_DEATH(one.backend->TakeOver(1), "no servers have the values of worker group 1");
}

TEST(SyncBackendTest, AJobOfOneProcessAddsUpWithNoOther) {
  const OneBackend one("");
  const SyncSetup setup = {one.job, one.plan, nullptr, nullptr, nullptr};
  EXPECT_TRUE(setup.HasWorkers());
  EXPECT_EQ(setup.Between(0), nullptr);
}

TEST(SyncBackendTest, AProcessMayHaveServersAlone) {
  const JobProto job = SmallGroupsJob("share_memory: false server_worker_separate: true");
  ThreadedJob processes(job);
  processes.Start(1);
  const auto has_workers = [&](int rank) {
    return SyncSetup{job, processes[rank].part().plan(), &processes[rank], nullptr, nullptr}
        .HasWorkers();
  };
  EXPECT_TRUE(has_workers(0));
  EXPECT_FALSE(has_workers(1));
}

}  // namespace
}  // namespace singa
