// Tests how a job learns the division and the predicted time of its steps.
#include "driver/job/divided_job.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/system/cgroup.h"
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
