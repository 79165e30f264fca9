// Tests how a process finds that it is one of several. ../launch tests supervised processes, and
// test/system whole jobs.
#include "driver/job/process_job.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/temp_dir.h"
#include "support/driver/launch_environment.h"
#include "support/driver/small_job.h"

namespace singa::process_job {
namespace {

class ProcessJobTest : public LaunchEnvironment {};

TEST_F(ProcessJobTest, AProcessThatNobodyLaunchedIsRankZero) {
  EXPECT_EQ(RankHere(), 0);
  EXPECT_FALSE(AnotherProcessSpeaks());
}

TEST_F(ProcessJobTest, ASupervisorGivesTheRankAndSpeaks) {
  Set("SINGA_PROCESS", "2/3/-1/-1");
  EXPECT_EQ(RankHere(), 2);
  EXPECT_TRUE(AnotherProcessSpeaks());
  Set("SINGA_PROCESS", "0/3/-1/-1");
  EXPECT_EQ(RankHere(), 0);
  EXPECT_TRUE(AnotherProcessSpeaks());
}

TEST_F(ProcessJobTest, OfALaunchersProcessesRankZeroSpeaks) {
  Set("OMPI_COMM_WORLD_SIZE", "2");
  Set("OMPI_COMM_WORLD_RANK", "1");
  EXPECT_EQ(RankHere(), 1);
  EXPECT_TRUE(AnotherProcessSpeaks());
  Set("OMPI_COMM_WORLD_RANK", "0");
  EXPECT_EQ(RankHere(), 0);
  EXPECT_FALSE(AnotherProcessSpeaks());
}

// The job names two processes, of which only one is needed for a test.
TEST_F(ProcessJobTest, ATestThatNobodyLaunchedRunsInThisProcess) {
  const TempDir dir;
  const std::string cluster = "cluster { nworkers_per_group: 2 } train_steps: 2";
  JobProto job = SmallJob(dir.Path("ws"), "train_steps: 2");
  Progress progress;
  ASSERT_EQ(TrainJob(job, OneThread(), &progress), kExitOk);
  std::filesystem::remove(dir.Path("ws/metrics.jsonl"));
  EXPECT_EQ(TestInProcesses(SmallJob(dir.Path("ws"), cluster), OneThread(), &progress), kExitOk);
  EXPECT_NE(TempDir::Read(dir.Path("ws/metrics.jsonl")).find("\"phase\":\"test\""),
            std::string::npos);
}

TEST_F(ProcessJobTest, ASupervisedTrainingNeedsACoordinatorThatIsOne) {
  const TempDir dir;
  const JobProto job = SmallJob(
      dir.Path("ws"), "train_steps: 2 cluster { nworkers_per_group: 2 coordinator: 'nowhere' }");
  Progress progress;
  EXPECT_ERROR(TrainInProcesses(job, {}, OneThread(), &progress), kExitConfig,
               "cluster.coordinator", "HOST:PORT");
}

}  // namespace
}  // namespace singa::process_job
