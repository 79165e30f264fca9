// How the processes of a job come together: as threads of one, over real sockets.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "cluster/job_process.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using std::chrono::steady_clock;

class MeetingTest : public ::testing::Test {
 protected:
  MeetingTest() {
    job_.mutable_updater()->set_type(kSGD);
    job_.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
    job_.mutable_cluster()->set_nworkers_per_group(kProcesses);
    job_.mutable_cluster()->set_start_timeout(2);
    coordinator_ = Endpoint{"127.0.0.1", 0};
  }
  // What the process at `rank` met with, from now on.
  struct Member {
    std::unique_ptr<JobProcess> process;
    std::thread thread;
    std::atomic<bool> leave = false, met = false;
    std::string error;
    ExitCode code = kExitOk;
    double seconds = 0;
  };
  void Make(int rank, const JobSecrets& secrets) {
    members_[rank].process = std::make_unique<JobProcess>(
        job_, ProcessPlace{rank, secrets.ForRank(rank), coordinator_, false});
    if (rank == 0) coordinator_ = members_[0].process->endpoint();
  }
  void Make(int rank) { Make(rank, secrets_); }
  void Meet(int rank) {
    Member& member = members_[rank];
    member.thread = std::thread([&member] {
      const auto start = steady_clock::now();
      try {
        member.met = member.process->Meet([&member] { return member.leave.load(); });
      } catch (const Error& error) {
        member.error = error.what();
        member.code = error.code();
      }
      member.seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
    });
  }
  Member& Ended(int rank) {
    members_[rank].thread.join();
    return members_[rank];
  }
  static void Sleep(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
  void ExpectAllMet() {
    for (int rank = 0; rank < kProcesses; ++rank)
      EXPECT_TRUE(Ended(rank).met) << rank << ": " << members_[rank].error;
  }

  static constexpr int kProcesses = 3;
  JobProto job_;
  const JobSecrets secrets_ = JobSecrets::Make(kProcesses);
  Endpoint coordinator_;
  Member members_[kProcesses];
};

TEST_F(MeetingTest, WhoComesEarlyWaitsForARankZeroThatLoads) {
  Make(0);
  Sleep(2.5);  // this counts against nobody
  members_[0].process->Open();
  Make(1);
  Meet(1);
  Sleep(5);
  Meet(0);
  Sleep(1);
  Make(2);
  Meet(2);
  ExpectAllMet();
  EXPECT_GT(members_[1].seconds, 5);
}

TEST_F(MeetingTest, WhoComesWhileRankZeroLoadsNeedsNoMoreOfIt) {
  Make(0);
  members_[0].process->Open();
  for (int rank : {1, 2}) Make(rank), Meet(rank);
  for (int rank : {1, 2}) EXPECT_TRUE(Ended(rank).met);
  Meet(0);
  EXPECT_TRUE(Ended(0).met);
  EXPECT_LT(members_[0].seconds, 1);
}

TEST_F(MeetingTest, WhoCannotReachRankZeroNamesIt) {
  Make(0);
  members_[0].process.reset();
  Make(1);
  Meet(1);
  EXPECT_NE(
      Ended(1).error.find("process 0 at " + ToString(coordinator_) + ", did not answer within 2 s"),
      std::string::npos)
      << members_[1].error;
  EXPECT_EQ(members_[1].code, kExitPeerLost);
  EXPECT_GT(members_[1].seconds, 1.9);
}

TEST_F(MeetingTest, ARankZeroThatGoesWhileItLoadsIsNamed) {
  Make(0);
  members_[0].process->Open();
  Make(1);
  Meet(1);
  Sleep(1);
  members_[0].process.reset();
  EXPECT_NE(Ended(1).error.find("process 0 at"), std::string::npos) << members_[1].error;
  EXPECT_EQ(members_[1].code, kExitPeerLost);
}

TEST_F(MeetingTest, ThoseWhoHaveComeAreToldWhoHasNot) {
  Make(0);
  members_[0].process->Open();
  Make(1);
  Meet(1);
  Sleep(1);
  Meet(0);
  EXPECT_NE(Ended(0).error.find("1 of 3 processes did not come to"), std::string::npos)
      << members_[0].error;
  EXPECT_TRUE(members_[0].process->StopOthers(PeerError("process 2 has not come")));
  EXPECT_NE(Ended(1).error.find("has ended: process 2 has not come"), std::string::npos)
      << members_[1].error;
}

TEST_F(MeetingTest, WhoEndsEarlyIsHeardByThoseWhoHaveCome) {
  job_.mutable_cluster()->set_start_timeout(60);
  Make(0);
  Meet(0);
  for (int rank : {1}) Make(rank), Meet(rank);
  Sleep(1);
  members_[1].leave = true;
  EXPECT_FALSE(Ended(1).met);
  EXPECT_LT(members_[1].seconds, 2);
  EXPECT_TRUE(members_[1].process->StopOthers(Error(kExitTerminated, "a signal")));
  EXPECT_NE(Ended(0).error.find("process 1 (worker 1 of group 0) has ended: a signal"),
            std::string::npos)
      << members_[0].error;
  EXPECT_EQ(members_[0].code, kExitTerminated);
}

TEST_F(MeetingTest, NobodyIsToldWhereNobodyHasCome) {
  Make(0);
  members_[0].process->Open();
  const auto start = steady_clock::now();
  members_[0].process->StopOthers(Error(kExitTerminated, "a signal"));
  EXPECT_LT(steady_clock::now() - start, std::chrono::milliseconds(500));
  coordinator_.port = 1;
  Make(1);
  members_[1].process->Open();
  EXPECT_FALSE(members_[1].process->StopOthers(Error(kExitTerminated, "a signal")));
}

TEST_F(MeetingTest, AProcessMayComeAgainUntilAllHaveMet) {
  job_.mutable_cluster()->set_start_timeout(60);
  Make(0);
  Meet(0);
  Make(1);
  Meet(1);
  Sleep(1);
  members_[1].leave = true;
  Ended(1);
  members_[1].leave = false;
  Make(1);
  for (int rank : {1, 2}) {
    if (rank == 2) Make(rank);
    Meet(rank);
    Sleep(0.5);
  }
  ExpectAllMet();
}

TEST_F(MeetingTest, WhoListensEverywhereTellsTheAddressThatLeadsToRankZero) {
  for (const char* bind : {"*", "0.0.0.0", "::"}) {
    job_.mutable_cluster()->set_bind(bind);
    for (const auto& [host, own] : {std::pair{"127.0.0.2", "127.0.0.1"}, {"::1", "::1"}}) {
      coordinator_ = {host, 0};
      try {
        LocalAddressToward(coordinator_);
      } catch (const Error&) {
        continue;  // this machine has no IPv6
      }
      for (int rank = 0; rank < kProcesses; ++rank) Make(rank), Meet(rank);
      ExpectAllMet();
      EXPECT_EQ(members_[0].process->endpoint().host, host);
      EXPECT_EQ(members_[1].process->endpoint().host, own);
      for (Member& member : members_) member.process.reset();
    }
  }
}

// What was posted always went before what had come.
TEST_F(MeetingTest, WhoPostsWithoutAPauseHearsOthersAllTheSame) {
  std::atomic<bool> asked = false;
  Make(0);
  members_[0].process->OnAsked([&asked] { asked = true; });
  for (int rank = 0; rank < kProcesses; ++rank) {
    if (rank > 0) Make(rank);
    Meet(rank);
  }
  ExpectAllMet();
  std::thread other([this] {
    Sleep(0.1);
    members_[1].process->AskToEnd();
  });
  int64_t posted = 0;
  for (; !asked && posted < 800'000; ++posted) members_[0].process->TellAll(kGrant, posted);
  other.join();
  EXPECT_TRUE(asked) << "not heard while " << posted << " messages were posted";
}

}  // namespace
}  // namespace singa
