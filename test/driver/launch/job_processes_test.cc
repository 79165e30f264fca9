// Tests one start of a job's processes. restart_test.cc and stop_test.cc test what the supervisor
// makes of its end.
#include "driver/launch/job_processes.h"

#include <gtest/gtest.h>

#include <csignal>

#include "io/temp_dir.h"
#include "support/driver/supervised_job.h"

namespace singa::job_processes {
namespace {

class JobProcessesTest : public SupervisedJob {
 protected:
  JobProcessesTest() {
    command_.program = Program();
    command_.processes = processes_;
    command_.end_timeout = command_.stop_timeout = std::chrono::milliseconds(0);
    command_.committed = [this] { ++commits_; };
  }
  JobEnd Run(const std::vector<std::string>& orders) {
    command_.args = Args(orders);
    JobProcesses processes(command_, &signals_);
    const JobEnd end = processes.Run();
    begun_ = processes.begun();
    return end;
  }
  static void ExpectEnd(const JobEnd& got, std::optional<ExitCode> code, int rank,
                        const ChildEnd& end) {
    EXPECT_EQ(got.code, code);
    EXPECT_EQ(got.rank, rank);
    EXPECT_EQ(got.end, end) << ToString(got.end);
  }

  StopSignals signals_;
  JobCommand command_;
  bool begun_ = false;
  int commits_ = 0;
};

TEST_F(JobProcessesTest, EndWithTheCodeOfRankZero) {
  ExpectEnd(Run({"0/0=gather+exit:0"}), kExitOk, 0, {});
  EXPECT_TRUE(begun_);
  ExpectEnd(Run({"0/1=gather+exit:79"}), kExitDiverged, 0, {.code = kExitDiverged});
}

TEST_F(JobProcessesTest, EndWithAnErrorOfAnotherProcess) {
  ExpectEnd(Run({"1/0=exit:65"}), kExitBadData, 1, {.code = kExitBadData});
}

TEST_F(JobProcessesTest, MayStartAgainAfterTheLossOfOne) {
  ExpectEnd(Run({"0/0=gather", "2/0=met+kill:9"}), {}, 2, {.signal = SIGKILL});
  ExpectEnd(Run({"0/1=exit:170"}), {}, 0, {.code = kExitPeerLost});
}

TEST_F(JobProcessesTest, AreToldOfCheckpointsOfRankZero) {
  Run({"0/0=gather+commit+commit+exit:0"});
  EXPECT_EQ(commits_, 2);
}

TEST_F(JobProcessesTest, HaveNotBegunBeforeRankZeroSaysSo) {
  ExpectEnd(Run({"0/0=mute+exit:66"}), kExitNoInput, 0, {.code = kExitNoInput});
  EXPECT_FALSE(begun_);
  EXPECT_EQ(Count("start"), 1);
}

TEST_F(JobProcessesTest, WaitForRankZeroForALimitedTime) {
  command_.start_timeout = std::chrono::milliseconds(0);
  EXPECT_ERROR(Run({"0/0=mute"}), kExitPeerLost,
               "process 0 does not listen 0 s after its start (cluster.start_timeout)");
}

TEST_F(JobProcessesTest, AKilledProcessIsReplacedIfItMayBe) {
  std::vector<int> asked, replaced;
  command_.is_replaceable = [&](int rank) {
    asked.push_back(rank);
    return rank == 2;
  };
  command_.replaces = [&](const std::vector<JobEnd>& lost) {
    for (const JobEnd& one : lost) replaced.push_back(one.rank);
    return true;
  };
  ExpectEnd(Run({"0/0=gather+gather:1+exit:0", "2/0=met+kill:9"}), kExitOk, 0, {});
  EXPECT_EQ(replaced, std::vector<int>{2});
  EXPECT_EQ(Count("start 2 "), 2);
  EXPECT_EQ(Count("start 1 "), 1);
}

TEST_F(JobProcessesTest, AreAllLostIfNobodyReplacesOne) {
  command_.is_replaceable = [](int) { return true; };
  command_.replaces = [](const std::vector<JobEnd>&) { return false; };
  ExpectEnd(Run({"0/0=gather", "1/0=met+kill:9"}), {}, 1, {.signal = SIGKILL});
  EXPECT_EQ(Count("start 1 "), 1);
}

}  // namespace
}  // namespace singa::job_processes
