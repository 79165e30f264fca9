#include "driver/plan/kept_predictions.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "io/temp_dir.h"
#include "support/driver/plan_jobs.h"

namespace singa::kept_predictions {
namespace {

class KeptPredictionsTest : public testing::Test {
 protected:
  KeptPredictionsTest() {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    plans_.cluster = cluster_;
    plans_.plans.resize(2);
    plans_.plans[0].division = {{"fc1", LayoutByUnits(2)}};
    plans_.plans[0].cost.step_ms = 2;
    plans_.plans[1].cost.step_ms = 3;
  }
  ~KeptPredictionsTest() override { unsetenv("XDG_CACHE_HOME"); }

  TempDir folder_;
  const PlanCluster cluster_ = WorkersOn(2);
  const JobProto job_ = ImageJob();
  JobPlans plans_;
};

TEST_F(KeptPredictionsTest, AreThoseOfTheJobsDivision) {
  EXPECT_EQ(KeptPrediction(job_, cluster_), std::nullopt);
  KeepPredictions(job_, plans_);
  EXPECT_EQ(KeptPrediction(job_, cluster_), 3);
  JobProto divided = job_;
  SetDivision(plans_.plans[0].division, divided.mutable_neuralnet());
  EXPECT_EQ(KeptPrediction(divided, cluster_), 2);
  SetDivision({{"fc1", kWholeLayout}}, divided.mutable_neuralnet());
  EXPECT_EQ(KeptPrediction(divided, cluster_), std::nullopt) << "no plan has this division";
}

TEST_F(KeptPredictionsTest, DoNotDependOnWhatTheConfSaidOfItsDivision) {
  JobProto divided = job_;
  SetDivision({{"fc1", kWholeLayout}}, divided.mutable_neuralnet());
  divided.mutable_neuralnet()->set_partition(NetProto::kAuto);
  KeepPredictions(divided, plans_);
  EXPECT_EQ(KeptPrediction(job_, cluster_), 3);
}

TEST_F(KeptPredictionsTest, OfOtherWorkersHostsLinksAndShapesAreOthers) {
  KeepPredictions(job_, plans_);
  EXPECT_EQ(KeptPrediction(job_, WorkersOn(3)), std::nullopt);
  PlanCluster hosts = cluster_;
  hosts.hosts = 2;
  EXPECT_EQ(KeptPrediction(job_, hosts), std::nullopt);
  plans_.cluster = hosts;
  KeepPredictions(job_, plans_);
  EXPECT_EQ(KeptPrediction(job_, hosts), 3);
  hosts.link_gbit = 1;
  EXPECT_EQ(KeptPrediction(job_, hosts), std::nullopt);
  JobProto other = job_;
  other.mutable_neuralnet()->mutable_layer(4)->mutable_innerproduct_conf()->set_num_output(41);
  EXPECT_EQ(KeptPrediction(other, cluster_), std::nullopt);
}

TEST_F(KeptPredictionsTest, OfAnotherWayOfGradientsBetweenHostsAreOthers) {
  plans_.cluster.hosts = 2;
  KeepPredictions(job_, plans_);
  JobProto by_mpi = job_;
  by_mpi.mutable_cluster()->mutable_all_reduce()->set_backend(AllReduceProto::kMpi);
  EXPECT_EQ(KeptPrediction(by_mpi, plans_.cluster), std::nullopt);
  KeepPredictions(by_mpi, plans_);
  EXPECT_EQ(KeptPrediction(by_mpi, plans_.cluster), 3);
  plans_.cluster.why_mpi = "Open MPI has started the job";
  EXPECT_EQ(KeptPrediction(job_, plans_.cluster), 3) << "which was planned with kMpi";
}

TEST_F(KeptPredictionsTest, OfAJobWithPluginsAreNotKept) {
  JobProto job = job_;
  job.add_plugin("libown.so");
  KeepPredictions(job, plans_);
  EXPECT_EQ(KeptPrediction(job, cluster_), std::nullopt);
}

}  // namespace
}  // namespace singa::kept_predictions
