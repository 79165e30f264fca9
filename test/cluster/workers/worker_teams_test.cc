// Tests the teams of a process's worker groups.
#include "cluster/workers/worker_teams.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/cluster/small_groups.h"
#include "support/threaded_job.h"

namespace singa {
namespace {

std::vector<int> WorkersOf(WorkerTeam* team) {
  std::vector<int> workers;
  for (Trainer* trainer : team->trainers()) workers.push_back(trainer->model().place().worker);
  return workers;
}

TEST(WorkerTeamsTest, AJobsOneProcessHasAllGroups) {
  SmallGroups job("nworker_groups: 3 nworkers_per_group: 2");
  WorkerTeams& teams = job.groups.teams();
  EXPECT_TRUE(teams.HasWorkers());
  EXPECT_EQ(teams.here(), (std::vector<int>{0, 1, 2}));
  for (const int group : teams.here()) {
    EXPECT_EQ(WorkersOf(&teams.team(group)), (std::vector<int>{0, 1})) << group;
    EXPECT_EQ(teams.team(group).lead().model().place().group, group);
  }
}

TEST(WorkerTeamsTest, TheFirstGroupHasTheLead) {
  SmallGroups job("nworker_groups: 2");
  EXPECT_EQ(&job.groups.teams().lead(), &job.groups.team(0).lead());
}

// Workers of a process share its cores, so each has a number among all of them.
TEST(WorkerTeamsTest, WorkersOfAllGroupsAreCounted) {
  SmallGroups job("nworker_groups: 3 nworkers_per_group: 2");
  for (const int group : {0, 1, 2})
    EXPECT_EQ(job.groups.team(group).lead().model().place().first_here, 2 * group);
}

// Process 1 has workers 2 and 3 of group 0, and process 2 workers 0 and 1 of group 1.
TEST(WorkerTeamsTest, AProcessHasItsPartOfItsGroups) {
  const JobProto job = SmallGroupsJob(
      "share_memory: false nworker_groups: 2 nworkers_per_group: 4 nworkers_per_procs: 2");
  ThreadedJob processes(job);
  const auto workers_of = [&](int rank, int group) {
    processes.Start(rank);
    WorkerGroups groups(job, 1, &processes[rank]);
    EXPECT_EQ(groups.here(), std::vector<int>{group});
    return WorkersOf(&groups.team(group));
  };
  EXPECT_EQ(workers_of(1, 0), (std::vector<int>{2, 3}));
  EXPECT_EQ(workers_of(2, 1), (std::vector<int>{0, 1}));
}

TEST(WorkerTeamsTest, AProcessOfServersKnowsTheParamsAndTrainsNone) {
  const JobProto job = SmallGroupsJob("share_memory: false server_worker_separate: true");
  ThreadedJob processes(job);
  processes.Start(1);
  WorkerGroups groups(job, 1, &processes[1]);
  WorkerTeams& teams = groups.teams();
  EXPECT_FALSE(teams.HasWorkers());
  EXPECT_TRUE(teams.here().empty());
  EXPECT_EQ(teams.memory().host.total(), 0);
  EXPECT_NE(teams.lead().model().params().Find("w"), nullptr);
}

TEST(WorkerTeamsTest, TheirMemoryIsThatOfAllTeams) {
  SmallGroups job("nworker_groups: 2 nworkers_per_group: 2");
  WorkerTeams& teams = job.groups.teams();
  EXPECT_GT(teams.team(0).memory().host.gradients, 0);
  EXPECT_EQ(teams.memory().host.gradients,
            teams.team(0).memory().host.gradients + teams.team(1).memory().host.gradients);
}

TEST(WorkerTeamsTest, GroupsWithValuesOfTheirOwnGetThoseOfTheLead) {
  SmallGroups job("share_memory: false nworker_groups: 2");
  job.Train(1, 0);
  job.Train(1, 1);
  ASSERT_NE(job.ValuesOf(1), job.ValuesOf(0));
  job.groups.teams().BroadcastValues();
  EXPECT_EQ(job.ValuesOf(1), job.ValuesOf(0));
}

TEST(WorkerTeamsTest, SkipsOfAllGroupsAreCounted) {
  SmallGroups job("nworker_groups: 2", "on_nonfinite: kSkip");
  job.groups.lead().model().params().Find("b")->data.data()[0] = NAN;  // which both share
  job.Train(0, 0);
  job.Train(1, 0);
  job.Train(1, 1);
  EXPECT_EQ(job.groups.teams().CountSkips(), 3);
}

TEST(WorkerTeamsTest, AStopEndsTheStepsOfAllGroups) {
  SmallGroups job("nworker_groups: 2 nworkers_per_group: 2");
  job.groups.teams().Stop();
  for (const int group : {0, 1}) EXPECT_THROW(job.Train(group, 0), Stopped) << group;
}

TEST(WorkerTeamsTest, TellWhyTheHostMakesUpdates) {
  SmallGroups job("nworker_groups: 2");
  EXPECT_FALSE(job.groups.teams().UpdatesOnGpus());
  EXPECT_EQ(job.groups.teams().WhyHostUpdates(), "a worker has no GPU");
}

}  // namespace
}  // namespace singa
