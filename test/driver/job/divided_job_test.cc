// Tests how a job learns the division and the predicted time of its steps.
#include "driver/job/divided_job.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/thread/core_binding.h"
#include "cluster/process/job_process.h"
#include "driver/plan/kept_predictions.h"
#include "io/temp_dir.h"
#include "support/driver/plan_jobs.h"
#include "support/driver/some_partition.h"

namespace singa::divided_job {
namespace {

class DividedJobTest : public testing::Test {
 protected:
  DividedJobTest() : job_(ImageJob()) {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    job_.set_num_openblas_threads(1);
    job_.mutable_cluster()->set_workspace(folder_.Path("ws"));
    job_.mutable_cluster()->set_nworkers_per_group(2);
  }
  ~DividedJobTest() override { unsetenv("XDG_CACHE_HOME"); }

  TempDir folder_;
  JobProto job_;
};

// Keeps 3 ms as the prediction for two workers that divide the job by rows on this host.
void KeepThreeMs(const JobProto& job) {
  JobPlans plans;
  plans.cluster = WorkersOn(2);
  plans.cluster.cores = UsableCores();
  plans.plans.resize(1);
  plans.plans[0].cost.step_ms = 3;
  KeepPredictions(job, plans);
}

TEST_F(DividedJobTest, HasTheTimeThatAPlanPredicted) {
  KeepThreeMs(job_);
  EXPECT_EQ(PredictedMs(job_, {}), 3);
}

TEST_F(DividedJobTest, HasTheTimeThatItsChoicePredicted) {
  const AutoPartition partition = SomePartition();
  RunOptions options;
  options.partition = &partition;
  EXPECT_EQ(PredictedMs(job_, options), 1.5);
}

// The two workers are on two hosts. A plan's time counts only if its hosts with servers are the
// processes with servers.
TEST_F(DividedJobTest, HasTheTimeOfAPlanWithServersWhereItsProcessesHaveThem) {
  struct {
    int servers;  // of the group
    bool separate;
    int hosts_with_servers;  // as PlanCluster::servers
  } const cases[] = {{1, false, 1}, {2, false, 0}, {1, true, 1}, {2, true, 2}};
  for (const auto& one : cases) {
    job_.mutable_cluster()->set_nservers_per_group(one.servers);
    job_.mutable_cluster()->set_server_worker_separate(one.separate);
    ProcessPlace place;
    place.secrets = JobSecrets::Make(Topology(job_.cluster()).processes()).ForRank(0);
    JobProcess process(job_, place);
    RunOptions options;
    options.process = &process;
    for (const int servers : {0, 1, 2})
      for (const bool apart : {false, true}) {
        JobPlans plans;
        plans.cluster = WorkersOn(2, 2);
        plans.cluster.cores = UsableCores();
        plans.cluster.link_gbit = job_.cluster().link_gbit();
        plans.cluster.servers = servers;
        plans.cluster.servers_apart = apart;
        plans.plans.resize(1);
        plans.plans[0].cost.step_ms = 1 + servers + (apart ? 10 : 0);
        KeepPredictions(job_, plans);
      }
    EXPECT_EQ(PredictedMs(job_, options), 1 + one.hosts_with_servers + (one.separate ? 10 : 0))
        << one.servers << " servers, separate: " << one.separate;
  }
}

// Groups compete for cores, and the plan is for one group.
TEST_F(DividedJobTest, OfSeveralGroupsHasNoPredictedTime) {
  KeepThreeMs(job_);
  job_.mutable_cluster()->set_nworker_groups(2);
  EXPECT_EQ(PredictedMs(job_, {}), std::nullopt);
}

// Its memory is counted, and not allocated: fc1 has 3.8 TB of params.
TEST_F(DividedJobTest, ThatCannotBeMeasuredIsDividedByRows) {
  job_.mutable_neuralnet()->set_partition(NetProto::kAuto);
  NetProto& net = *job_.mutable_neuralnet();
  net.mutable_layer(1)->mutable_convolution_conf()->set_num_filters(150);
  net.mutable_layer(4)->mutable_innerproduct_conf()->set_num_output(400'000'000);
  Progress progress;
  testing::internal::CaptureStderr();
  const AutoPartition partition = FindPartition(job_, {}, &progress);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(partition.division.empty());
  EXPECT_EQ(partition.predicted_ms, 0);
  EXPECT_NE(partition.why.find("memory"), std::string::npos) << partition.why;
  EXPECT_NE(said.find("partition: all layers by rows; "), std::string::npos) << said;
}

}  // namespace
}  // namespace singa::divided_job
