// Tests how a supervised job starts and ends. restart_test.cc and stop_test.cc have the rest.
#include "driver/launch/supervisor.h"

#include <csignal>

#include "singa/base/error.h"
#include "support/driver/supervised_job.h"

namespace singa {
namespace {

class SupervisorTest : public SupervisedJob {};

TEST_F(SupervisorTest, StartsTheOthersWhenRankZeroHasSaidWhereItListens) {
  EXPECT_EQ(Run({"0/0=gather+exit:0"}), kExitOk);
  const std::vector<Start> starts = Starts();
  ASSERT_EQ(starts.size(), 3u);
  EXPECT_EQ(starts[0].rank, 0);
  EXPECT_EQ(starts[0].endpoint, "-");
  for (int i : {1, 2}) EXPECT_EQ(starts[i].endpoint, "127.0.0.1:4000");
  EXPECT_EQ(starts[1].rank + starts[2].rank, 3);
}

TEST_F(SupervisorTest, ACoordinatorOfTheConfIsHandedToAllAtOnce) {
  job_.mutable_cluster()->set_coordinator("127.0.0.1:6723");
  EXPECT_EQ(Run({"0/0=mute+gather+exit:0"}), kExitOk);  // rank 0 never tells its endpoint
  for (const Start& start : Starts()) EXPECT_EQ(start.endpoint, "127.0.0.1:6723");
}

TEST_F(SupervisorTest, ACoordinatorWithoutAPortIsWaitedFor) {
  job_.mutable_cluster()->set_coordinator("127.0.0.1:*");
  EXPECT_EQ(Run({"0/0=gather+exit:0"}), kExitOk);
  const std::vector<Start> starts = Starts();
  EXPECT_EQ(starts[0].endpoint, "127.0.0.1:*");
  EXPECT_EQ(starts[1].endpoint, "127.0.0.1:4000");
}

TEST_F(SupervisorTest, ACoordinatorThatIsAnInterfaceIsWaitedFor) {
  job_.mutable_cluster()->set_coordinator("lo:6723");
  EXPECT_EQ(Run({"0/0=gather+exit:0"}), kExitOk);
  const std::vector<Start> starts = Starts();
  EXPECT_EQ(starts[0].endpoint, "lo:6723");
  EXPECT_EQ(starts[1].endpoint, "127.0.0.1:4000");
}

TEST_F(SupervisorTest, ProcessesShareATokenAndEachHasItsOwnKeyAlone) {
  Run({"0/0=gather+exit:0"});
  const std::vector<Start> starts = Starts();
  ASSERT_EQ(starts.size(), 3u);
  for (const Start& start : starts) {
    EXPECT_EQ(start.own_keys, 1);
    EXPECT_EQ(start.token, starts[0].token);
    EXPECT_EQ(start.token.size(), 64u);
  }
}

TEST_F(SupervisorTest, StdinOfProcessesIsEmpty) {
  Run({"0/0=gather+exit:0"});
  for (const Start& start : Starts()) EXPECT_EQ(start.input, 0);
}

TEST_F(SupervisorTest, AnErrorOfRankZeroIsTheJobs) {
  EXPECT_EQ(Run({"0/0=gather+exit:79"}), kExitDiverged);
  EXPECT_EQ(Starts().size(), 3u);
}

TEST_F(SupervisorTest, AnErrorOfAnotherProcessEndsTheJob) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run({"1/0=exit:65"}), kExitBadData);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("warning: process 1 ended the job (exit code 65)\n"), std::string::npos)
      << said;
  EXPECT_EQ(Count("start 0"), 1);
}

TEST_F(SupervisorTest, AProcessThatIsDoneEarlyChangesNothing) {
  EXPECT_EQ(Run({"1/0=exit:0", "2/0=exit:0", "0/0=gather+outlive"}), kExitOk);
}

TEST_F(SupervisorTest, OthersMayEndAfterRankZero) {
  options_.end_timeout = std::chrono::seconds(100);
  EXPECT_EQ(Run({"0/0=gather+exit:0", "1/0=outlive", "2/0=outlive"}), kExitOk);
  EXPECT_EQ(Count("outlived"), 2);
}

TEST_F(SupervisorTest, OthersThatDoNotEndAfterRankZeroAreKilled) {
  EXPECT_EQ(Run({"0/0=gather+exit:0"}), kExitOk);
  for (const Start& start : Starts()) {
    EXPECT_EQ(kill(start.pid, 0), -1);
    EXPECT_EQ(errno, ESRCH);
  }
}

TEST_F(SupervisorTest, SaysThatRankZeroDoesNotListen) {
  job_.mutable_cluster()->set_start_timeout(1);
  EXPECT_ERROR(Run({"0/0=mute"}), kExitPeerLost, "process 0 does not listen 1 s after its start",
               "cluster.start_timeout");
  EXPECT_EQ(Count("start"), 1);
  EXPECT_TRUE(Ends(PidOf(0)));
}

TEST_F(SupervisorTest, ACoordinatorThatIsNoneIsAMistakeOfTheConf) {
  job_.mutable_cluster()->set_coordinator("nowhere");
  EXPECT_ERROR(Run({}), kExitConfig, "cluster.coordinator", "HOST:PORT");
}

TEST_F(SupervisorTest, AProgramThatCannotBeStartedIsAnError) {
  options_.program = folder_.Path("none");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run({}), kExitCantCreate);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot be started: No such file"),
            std::string::npos);
}

}  // namespace
}  // namespace singa
