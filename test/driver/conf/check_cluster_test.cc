// Tests the checks of cluster settings. ../gpu_conf_test.cc tests cluster.all_reduce.
#include <gtest/gtest.h>

#include "singa/cluster/consistency.h"
#include "support/driver/conf_findings.h"

namespace singa::check_cluster {
namespace {

std::string Found(const std::string& cluster, const std::string& job = "") {
  ConfFindings found;
  CheckCluster(JobOfText(StrCat("cluster { ", cluster, " } ", job)), &found);
  return LinesOf(found);
}

TEST(CheckCluster, AJobWithoutSettingsDrawsNothing) { EXPECT_EQ(Found(""), ""); }

TEST(CheckCluster, SettingsOfSeveralProcessesAreIdleInOne) {
  for (const std::string setting :
       {"coordinator: '127.0.0.1:9999'", "bind: '127.0.0.1'", "start_timeout: 5", "peer_timeout: 5",
        "max_restarts: 1", "insecure: true", "nservers_per_procs: 2"}) {
    const std::string name = setting.substr(0, setting.find(':'));
    EXPECT_EQ(Found(setting),
              StrCat("warning: cluster.", name, ": has no effect with one process\n"));
    EXPECT_EQ(Found("nworkers_per_group: 2 share_memory: false " + setting)
                  .find("has no effect with one process"),
              std::string::npos)
        << setting;
  }
}

TEST(CheckCluster, ServersOfOneProcessMayNeedTheirNumber) {
  EXPECT_EQ(Found("nservers_per_group: 2 nservers_per_procs: 2 share_memory: false"), "");
}

TEST(CheckCluster, SettingsOfSeveralWorkerGroupsAreIdleInOne) {
  EXPECT_EQ(Found("max_staleness: 1", "warmup_steps: 1"),
            "warning: warmup_steps: has no effect with one worker group\n"
            "warning: cluster.max_staleness: has no effect with one worker group\n");
  EXPECT_EQ(Found("nworker_groups: 2 nworkers_per_procs: 2 max_staleness: 1", "warmup_steps: 1"),
            "");
}

TEST(CheckCluster, SettingsOfSeveralServerGroupsAreIdleInOne) {
  const std::string settings = "sync_freq: 2 elastic_alpha: 0.5 ";
  EXPECT_EQ(Found(settings),
            "warning: cluster.sync_freq: has no effect with one server group\n"
            "warning: cluster.elastic_alpha: has no effect with one server group\n");
  EXPECT_EQ(Found(settings + "nserver_groups: 2 nworker_groups: 2 nworkers_per_procs: 2 "
                             "nservers_per_procs: 2"),
            "");
}

TEST(CheckCluster, SettingsOfOuterStepsAreIdleWithoutThem) {
  EXPECT_EQ(Found("group_sync: kOuter outer_compression: kInt8 outer_fragments: 1 "
                  "outer_overlap: 0"),
            "warning: cluster.group_sync: has no effect with one server group\n"
            "warning: cluster.outer_compression: has no effect with one server group\n"
            "warning: cluster.outer_fragments: has no effect with one server group\n"
            "warning: cluster.outer_overlap: has no effect with one server group\n");
}

TEST(CheckCluster, ARoundHasAStepForEachFragment) {
  const std::string rounds =
      "nworker_groups: 2 nserver_groups: 2 nworkers_per_procs: 2 nservers_per_procs: 2 "
      "group_sync: kOuter sync_freq: 4 ";
  EXPECT_EQ(Found(rounds + "outer_fragments: 4"), "");
  EXPECT_EQ(Found(rounds + "outer_fragments: 5"),
            "error: cluster.outer_fragments: must be <= sync_freq, 4, is 5\n");
}

TEST(CheckCluster, AnOuterStepIsTakenBeforeTheNextRoundEnds) {
  const std::string rounds =
      "nworker_groups: 2 nserver_groups: 2 nworkers_per_procs: 2 nservers_per_procs: 2 "
      "group_sync: kOuter sync_freq: 4 ";
  EXPECT_EQ(Found(rounds + "outer_overlap: 3 outer_mixing: 0"), "");
  EXPECT_EQ(Found(rounds + "outer_overlap: 4"),
            "error: cluster.outer_overlap: must be < sync_freq, 4, is 4\n");
  EXPECT_EQ(Found(rounds + "outer_mixing: 0.5"),
            "warning: cluster.outer_mixing: has no effect with outer_overlap: 0\n");
}

TEST(CheckCluster, RoundsNeedAServerGroupForEachWorkerGroup) {
  const std::string error =
      "error: cluster.nserver_groups: must be nworker_groups, 4, with group_sync: kOuter, is ";
  for (const char* servers : {"1", "2"})
    EXPECT_EQ(Found(StrCat("nworker_groups: 4 group_sync: kOuter sync_freq: 5 nserver_groups: ",
                           servers)),
              error + servers + "\n");
  EXPECT_EQ(Found("nworker_groups: 4 group_sync: kOuter sync_freq: 5"), error + "1\n");
}

TEST(CheckCluster, AllMistakesAreFoundAtOnce) {
  EXPECT_EQ(Found("nworker_groups: 4 nserver_groups: 2 group_sync: kOuter sync_freq: 10 "
                  "outer_overlap: 10 peer_timeout: 0 coordinator: '*:1'",
                  "warmup_steps: 3"),
            "error: cluster.coordinator: must be one address that all processes reach, is "
            "\"*:1\", which is all addresses of a machine\n"
            "error: cluster.peer_timeout: must be >= 1, is 0\n"
            "error: cluster.outer_overlap: must be < sync_freq, 10, is 10\n"
            "error: cluster.nserver_groups: must be nworker_groups, 4, with group_sync: kOuter, is "
            "2\n"
            "error: cluster.group_sync: must not be set with warmup_steps: the first group would "
            "wait for the others, which wait for it\n");
}

TEST(CheckCluster, ANumberThatIsWrongIsNotComparedWithOthers) {
  EXPECT_EQ(Found("nworker_groups: 0 nserver_groups: 2 nworkers_per_procs: 3"),
            "error: cluster.nworker_groups: must be >= 1, is 0\n");
}

TEST(CheckCluster, ServersThatWorkersDoNotNeedAreIdle) {
  const std::string two =
      "nworkers_per_group: 2 nworkers_per_procs: 2 nservers_per_group: 2 "
      "nservers_per_procs: 2 ";
  EXPECT_EQ(Found(two),
            "warning: cluster.nservers_per_group: has no effect: the workers share the values "
            "and update them without servers\n");
  EXPECT_EQ(Found(two + "share_memory: false"), "");
}

TEST(CheckCluster, OneProcessHasNotAnyNumberOfThreads) {
  EXPECT_EQ(Found("nworker_groups: 2 nworkers_per_group: 512 nworkers_per_procs: 1024"), "");
  EXPECT_EQ(Found("nworkers_per_group: 1025 nworkers_per_procs: 1025"),
            "error: cluster.nworkers_per_group: must make at most 1024 workers, makes 1025\n");
}

class OwnConsistency final : public Consistency {};
SINGA_REGISTER_CONSISTENCY(CheckClusterConsistency, OwnConsistency);

TEST(CheckCluster, AUsersConsistencyIsForSeveralGroups) {
  const std::string own = "user_consistency: 'CheckClusterConsistency' ";
  EXPECT_EQ(Found(own), "warning: cluster.user_consistency: has no effect with one worker group\n");
  EXPECT_EQ(Found(own + "nworker_groups: 2 nworkers_per_procs: 2"), "");
}

TEST(CheckCluster, AUsersConsistencyCannotWaitForAWarmUp) {
  EXPECT_EQ(Found("user_consistency: 'CheckClusterConsistency' nworker_groups: 2 "
                  "nworkers_per_procs: 2",
                  "warmup_steps: 3"),
            "error: cluster.user_consistency: must not be set with warmup_steps: the first group "
            "would wait for the others, which wait for it\n");
}

// The number of processes is not known then.
TEST(CheckCluster, AfterAnErrorSettingsAreNotComparedWithEachOther) {
  const std::string found = Found("coordinator: 'nowhere' peer_timeout: 5 sync_freq: 2");
  EXPECT_EQ(found.rfind("error: cluster.coordinator: ", 0), 0u) << found;
  EXPECT_EQ(found.find("peer_timeout"), std::string::npos) << found;
  EXPECT_NE(found.find("warning: cluster.sync_freq: has no effect with one server group\n"),
            std::string::npos)
      << found;
}

TEST(CheckCluster, AfterAnErrorCompressionIsNotComparedWithThePlan) {
  const std::string found = Found(
      "nworkers_per_group: 2 share_memory: false coordinator: 'nowhere' "
      "all_reduce { compression: kPowerSGD }");
  EXPECT_EQ(found.find("all_reduce.compression"), std::string::npos) << found;
}

}  // namespace
}  // namespace singa::check_cluster
