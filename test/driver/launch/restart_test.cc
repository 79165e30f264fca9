// Tests supervised jobs that lose processes.
#include <csignal>
#include <optional>

#include "driver/launch/supervisor.h"
#include "singa/base/error.h"
#include "support/driver/supervised_job.h"

namespace singa {
namespace {

class RestartTest : public SupervisedJob {
 protected:
  // Runs until no process is lost any more. The supervisor must print those lines.
  void RunToEnd(const std::vector<std::string>& orders,
                const std::vector<std::string>& lines = {}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(Run(orders), kExitOk);
    const std::string said = testing::internal::GetCapturedStderr();
    for (const std::string& line : lines)
      EXPECT_NE(said.find("warning: " + line + "\n"), std::string::npos) << said;
  }
};

TEST_F(RestartTest, AllGoOnFromTheLastCheckpointWhenOneIsKilled) {
  RunToEnd({"0/0=commit+gather", "2/0=met+kill:9", "0/1=gather+exit:0"},
           {"process 2 was lost (signal 9); all go on from the last checkpoint (restart 1 of 3)"});
  EXPECT_EQ(Count("start 0"), 2);
  const std::vector<Start> starts = Starts();
  EXPECT_EQ(starts.front().resumes, 0);
  EXPECT_EQ(starts.back().resumes, 1);
  EXPECT_EQ(starts.back().endpoint, "127.0.0.1:4001");
}

TEST_F(RestartTest, AllStartAgainWhereThereIsNoCheckpoint) {
  RunToEnd({"2/0=kill:9", "0/1=gather+exit:0"},
           {"process 2 was lost (signal 9); all start again (restart 1 of 3)"});
  EXPECT_EQ(Count("start 0"), 2);
}

TEST_F(RestartTest, EachStartHasSecretsOfItsOwn) {
  RunToEnd({"1/0=kill:9", "0/1=gather+exit:0"});
  EXPECT_NE(Starts().front().token, Starts().back().token);
}

TEST_F(RestartTest, NobodyOfTheFormerStartIsLeft) {
  RunToEnd({"0/0=gather+kill:11", "0/1=gather+exit:0"});
  for (const Start& start : Starts()) EXPECT_TRUE(Ends(start.pid));
}

TEST_F(RestartTest, ResumeIsNotGivenTwice) {
  RunToEnd({"1/0=kill:9", "0/1=gather+exit:0", "-resume"});
  EXPECT_EQ(Starts().front().resumes, 1);
  EXPECT_EQ(Starts().back().resumes, 1);
}

// Rank 0 may not have set the previous run aside yet, and that run's checkpoints are not this
// job's.
TEST_F(RestartTest, DoesNotResumeWhereRankZeroDidNotListenYet) {
  RunToEnd({"0/0=mute+kill:9", "0/1=gather+exit:0"},
           {"process 0 was lost (signal 9); all start again (restart 1 of 3)"});
  EXPECT_EQ(Starts().back().resumes, 0);
}

TEST_F(RestartTest, DoesNotResumeWhereRankZeroStillLoaded) {
  job_.mutable_cluster()->set_start_timeout(1);
  RunToEnd({"0/0=loads+wait:2+kill:9", "0/1=gather+exit:0"},
           {"process 0 was lost (signal 9); all start again (restart 1 of 3)"});
  EXPECT_EQ(Starts().back().resumes, 0);
  EXPECT_EQ(Starts().size(), 4u);  // the others were not started before
}

TEST_F(RestartTest, CodesThatMeanRetryAreLosses) {
  const std::string after = "); all start again (restart ";
  RunToEnd({"0/0=exit:170", "1/1=exit:171", "2/2=exit:200", "0/3=gather+exit:0"},
           {"process 0 lost contact with another process (exit code 170" + after + "1 of 3)",
            "the job stalled (exit code 171" + after + "2 of 3)",
            "process 2 was lost (exit code 200" + after + "3 of 3)"});
}

TEST_F(RestartTest, GivesUpAfterSoManyRestartsAndNamesWhoWasLost) {
  job_.mutable_cluster()->set_max_restarts(2);
  EXPECT_ERROR(Run({"1/0=kill:9", "2/1=kill:9", "1/2=kill:11"}), kExitPeerLost,
               "process 1 was lost 2 times, process 2 was lost once (last: signal 11); the job "
               "gives up after 2 restarts (cluster.max_restarts)");
  EXPECT_EQ(Count("start 0"), 3);
}

TEST_F(RestartTest, TheFirstRestartIsAtOnceAndEachLaterOneWaitsLonger) {
  RunToEnd({"0/0=exit:170", "1/1=kill:9", "2/2=kill:9", "0/3=gather+exit:0"});
  EXPECT_EQ(pauses_, (std::vector<int64_t>{2, 8}));
}

TEST_F(RestartTest, ACheckpointForgivesTheLossesBeforeIt) {
  job_.mutable_cluster()->set_max_restarts(1);
  RunToEnd({"0/0=gather+kill:9", "0/1=gather+commit+kill:9", "0/2=gather+commit+kill:9",
            "0/3=gather+exit:0"},
           {"process 0 was lost (signal 9); all go on from the last checkpoint (restart 1 of 1)"});
  EXPECT_EQ(Count("start 0"), 4);
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(RestartTest, ASignalEndsThePauseAndTheJob) {
  options_.wait = [](std::chrono::milliseconds, const StopSignals&) { raise(SIGTERM); };
  EXPECT_ERROR(Run({"1/0=kill:9", "1/1=kill:9"}), kExitTerminated, "before a restart", "-resume");
  EXPECT_EQ(Count("start 0"), 2);
}

TEST_F(RestartTest, AJobThatStallsEachTimeEndsAsStalled) {
  job_.mutable_cluster()->set_max_restarts(1);
  EXPECT_ERROR(Run({"0/0=exit:171", "1/1=exit:171"}), kExitStalled,
               "the job stalled 2 times (last: exit code 171); the job gives up after 1 restart "
               "(cluster.max_restarts)");
}

// OutOfMemoryTest counts one more process that the system killed at each start of the job.
class OutOfMemoryTest : public RestartTest {
 protected:
  OutOfMemoryTest() {
    options_.out_of_memory = [this] { return std::optional<int64_t>(kills_++); };
  }
  int64_t kills_ = 0;
};

TEST_F(OutOfMemoryTest, AProcessThatTheSystemHasKilledIsNamedSo) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run({"1/0=kill:9", "0/1=gather+exit:0"}), kExitOk);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("process 1 was lost (killed: out of memory"), std::string::npos) << said;
}

TEST_F(OutOfMemoryTest, AnotherSignalIsNone) {
  RunToEnd({"1/0=kill:11", "0/1=gather+exit:0"},
           {"process 1 was lost (signal 11); all start again (restart 1 of 3)"});
}

TEST_F(OutOfMemoryTest, CheckpointsDoNotForgiveIt) {
  job_.mutable_cluster()->set_max_restarts(1);
  EXPECT_ERROR(Run({"0/0=gather+kill:9", "0/1=gather+commit+kill:9", "0/2=gather+exit:0"}),
               kExitNoDevice, "process 0 was lost once (last: killed: out of memory");
  EXPECT_EQ(Count("start 0"), 2);
}

TEST_F(OutOfMemoryTest, AProcessThatMayBeReplacedIsNotForEver) {
  processes_ = 3;
  job_.mutable_cluster()->set_nworker_groups(3);
  job_.mutable_cluster()->set_max_restarts(1);
  EXPECT_ERROR(Run({"2/0=met+kill:9", "2/0.1=kill:9", "0/0=gather", "0/1=gather+exit:0"}),
               kExitNoDevice, "killed: out of memory");
}

// In ReplaceTest each process has a worker group.
class ReplaceTest : public RestartTest {
 protected:
  ReplaceTest() { job_.mutable_cluster()->set_nworker_groups(processes_); }
};

TEST_F(ReplaceTest, AWholeGroupThatIsLostIsStartedAgainAlone) {
  RunToEnd({"2/0=met+kill:9", "0/0=gather+gather:1+exit:0"},
           {"process 2 was lost (signal 9); a new process takes its place (1 of 3)"});
  EXPECT_EQ(Count("start 0"), 1);
  EXPECT_EQ(Count("start 1"), 1);
  EXPECT_EQ(Count("start 2"), 2);
  const std::vector<Start> starts = Starts();
  EXPECT_EQ(starts.back().rank, 2);
  EXPECT_EQ(starts.back().token, starts.front().token);
  EXPECT_EQ(starts.back().endpoint, "127.0.0.1:4000");
  EXPECT_EQ(starts.back().resumes, 0);  // rank 0 tells the process where to begin
}

TEST_F(ReplaceTest, BeforeAllHaveMetAllStartAgain) {
  RunToEnd({"2/0=kill:9", "0/1=gather+exit:0"},
           {"process 2 was lost (signal 9); all start again (restart 1 of 3)"});
  EXPECT_EQ(Count("start 0"), 2);
}

TEST_F(ReplaceTest, WithTheFirstGroupAllStartAgain) {
  RunToEnd({"0/0=gather+kill:9", "0/1=gather+exit:0"},
           {"process 0 was lost (signal 9); all start again (restart 1 of 3)"});
  EXPECT_EQ(Count("start 0"), 2);
}

TEST_F(ReplaceTest, AnErrorOfAProcessEndsTheJob) {
  EXPECT_EQ(Run({"2/0=met+exit:65", "0/0=gather"}), 65);
  EXPECT_EQ(Count("start 2"), 1);
}

TEST_F(ReplaceTest, GroupsAreReplacedSoOftenAsAllMayStartAgain) {
  job_.mutable_cluster()->set_max_restarts(1);
  RunToEnd({"2/0=met+kill:9", "2/0.1=kill:9", "0/0=gather", "0/1=gather+exit:0"},
           {"process 2 was lost (signal 9); a new process takes its place (1 of 1)",
            "process 2 was lost (signal 9); all start again (restart 1 of 1)"});
  EXPECT_EQ(Count("start 0"), 2);
  EXPECT_EQ(Starts().back().resumes, 1);
}

TEST_F(RestartTest, ZeroRestartsMeanNone) {
  job_.mutable_cluster()->set_max_restarts(0);
  EXPECT_ERROR(Run({"1/0=kill:9"}), kExitPeerLost, "process 1 was lost once");
  EXPECT_EQ(Count("start 0"), 1);
}

}  // namespace
}  // namespace singa
