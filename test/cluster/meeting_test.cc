// Tests how the processes of a job meet: as threads of one process, over real sockets.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "cluster/process/job_process.h"
#include "singa/base/error.h"
#include "support/skipped_clock.h"

namespace singa {
namespace {

class MeetingTest : public ::testing::Test {
 protected:
  MeetingTest() {
    job_.mutable_updater()->set_type(kSGD);
    job_.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
    job_.mutable_cluster()->set_nworkers_per_group(kProcesses);
    job_.mutable_cluster()->set_start_timeout(kLong);
    job_.mutable_cluster()->set_peer_timeout(100 * kLong);
    coordinator_ = Endpoint{"127.0.0.1", 0};
  }
  // Member is the process at a rank, its thread, and the result of its meeting.
  struct Member {
    std::unique_ptr<JobProcess> process;
    std::thread thread;
    std::atomic<bool> leave = false, met = false;
    std::string error;
    ExitCode code = kExitOk;
  };
  void Make(int rank, const JobSecrets& secrets) {
    members_[rank].process = std::make_unique<JobProcess>(
        job_, ProcessPlace{rank, secrets.ForRank(rank), coordinator_, false},
        JobCalls{.asked = asked_}, &clock_);
    if (rank == 0) coordinator_ = members_[0].process->stub().endpoint();
  }
  void Make(int rank) { Make(rank, secrets_); }
  // Makes a process that waits for others for one second at most.
  void MakeHasty(int rank) {
    job_.mutable_cluster()->set_start_timeout(1);
    Make(rank);
    job_.mutable_cluster()->set_start_timeout(kLong);
  }
  void Meet(int rank) {
    Member& member = members_[rank];
    member.thread = std::thread([&member] {
      try {
        member.met = member.process->stub().Meet([&member] { return member.leave.load(); });
      } catch (const Error& error) {
        member.error = error.what();
        member.code = error.code();
      }
    });
  }
  Member& Ended(int rank) {
    members_[rank].thread.join();
    return members_[rank];
  }
  // Heard returns the bytes that process `rank` has received. AwaitMore waits until they are more
  // than `before`.
  int64_t Heard(int rank) { return members_[rank].process->stub().bytes_received(); }
  void AwaitMore(int rank, int64_t before, const std::function<void()>& meanwhile = {}) {
    for (int look = 0; look < 6000 && Heard(rank) == before; ++look) {
      if (meanwhile) meanwhile();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_GT(Heard(rank), before) << "process " << rank << " hears nothing";
  }
  // Skips most of the time that process 1 waits for rank 0, then waits until process 1 has heard
  // rank 0.
  void LetTimePass() {
    const int64_t before = Heard(1);
    clock_.Skip(kLong * kSecond * 3 / 4);
    AwaitMore(1, before,
              [this] { members_[1].process->follower()->AskToEnd(); });  // this wakes both
  }
  void ExpectAllMet() {
    for (int rank = 0; rank < kProcesses; ++rank)
      EXPECT_TRUE(Ended(rank).met) << rank << ": " << members_[rank].error;
  }

  static constexpr int kProcesses = 3, kLong = 600;  // seconds
  SkippedClock clock_;
  JobProto job_;
  std::function<void()> asked_;  // called when another process is asked to end
  const JobSecrets secrets_ = JobSecrets::Make(kProcesses);
  Endpoint coordinator_;
  Member members_[kProcesses];
};

TEST_F(MeetingTest, WhoComesEarlyWaitsForARankZeroThatLoads) {
  Make(0);
  clock_.Skip(2 * kLong * kSecond);  // this time counts against no process
  members_[0].process->stub().Open();
  Make(1);
  Meet(1);
  AwaitMore(0, 0);
  for (int times = 0; times < 3; ++times) LetTimePass();
  Meet(0);
  Make(2);
  Meet(2);
  ExpectAllMet();
}

TEST_F(MeetingTest, WhoComesWhileRankZeroLoadsNeedsNoMoreOfIt) {
  Make(0);
  members_[0].process->stub().Open();
  for (int rank : {1, 2}) Make(rank), Meet(rank);
  for (int rank : {1, 2}) EXPECT_TRUE(Ended(rank).met);
  members_[0].leave = true;  // a wait would end without a meeting
  Meet(0);
  EXPECT_TRUE(Ended(0).met);
}

TEST_F(MeetingTest, WhoCannotReachRankZeroNamesIt) {
  Make(0);
  members_[0].process.reset();
  MakeHasty(1);
  Meet(1);
  EXPECT_NE(
      Ended(1).error.find("process 0 at " + ToString(coordinator_) + " did not answer within 1 s"),
      std::string::npos)
      << members_[1].error;
  EXPECT_EQ(members_[1].code, kExitPeerLost);
}

TEST_F(MeetingTest, ARankZeroThatGoesWhileItLoadsIsNamed) {
  Make(0);
  members_[0].process->stub().Open();
  Make(1);
  Meet(1);
  AwaitMore(0, 0);
  members_[0].process.reset();
  clock_.Skip(2 * kLong * kSecond);
  EXPECT_NE(Ended(1).error.find("process 0 at"), std::string::npos) << members_[1].error;
  EXPECT_EQ(members_[1].code, kExitPeerLost);
}

TEST_F(MeetingTest, ThoseWhoHaveComeAreToldWhoHasNot) {
  MakeHasty(0);
  members_[0].process->stub().Open();
  Make(1);
  Meet(1);
  AwaitMore(0, 0);
  Meet(0);
  EXPECT_NE(Ended(0).error.find("process 2 did not connect to"), std::string::npos)
      << members_[0].error;
  members_[0].process->StopOthers(PeerError("process 2 has not come"));
  EXPECT_NE(Ended(1).error.find("has ended: process 2 has not come"), std::string::npos)
      << members_[1].error;
}

TEST_F(MeetingTest, WhoEndsEarlyIsHeardByThoseWhoHaveCome) {
  Make(0);
  Meet(0);
  Make(1);
  Meet(1);
  AwaitMore(0, 0);
  members_[1].leave = true;
  EXPECT_FALSE(Ended(1).met);
  EXPECT_EQ(members_[1].error, "");
  members_[1].process->StopOthers(Error(kExitTerminated, "a signal"));
  EXPECT_NE(Ended(0).error.find("process 1 (worker 1 of group 0) has ended: a signal"),
            std::string::npos)
      << members_[0].error;
  EXPECT_EQ(members_[0].code, kExitTerminated);
}

TEST_F(MeetingTest, NobodyIsToldWhereNobodyHasCome) {
  Make(0);
  members_[0].process->stub().Open();
  EXPECT_TRUE(members_[0].process->StopOthers(Error(kExitTerminated, "a signal")));
  coordinator_.port = 1;
  Make(1);
  members_[1].process->stub().Open();
  EXPECT_FALSE(members_[1].process->StopOthers(Error(kExitTerminated, "a signal")));
}

TEST_F(MeetingTest, AProcessMayComeAgainUntilAllHaveMet) {
  Make(0);
  Meet(0);
  Make(1);
  Meet(1);
  AwaitMore(0, 0);
  members_[1].leave = true;
  Ended(1);
  members_[1].leave = false;
  const int64_t before = Heard(0);
  Make(1);
  Meet(1);
  AwaitMore(0, before);
  Make(2);
  Meet(2);
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
      EXPECT_EQ(members_[0].process->stub().endpoint().host, host);
      EXPECT_EQ(members_[1].process->stub().endpoint().host, own);
      for (Member& member : members_) member.process.reset();
    }
  }
}

// Posted messages must not always go before messages that have arrived.
TEST_F(MeetingTest, WhoPostsWithoutAPauseHearsOthersAllTheSame) {
  std::atomic<bool> asked = false;
  std::atomic<int64_t> posted = 0;
  ControlMessage grant;
  grant.mutable_grant()->set_steps(1);
  asked_ = [&asked] { asked = true; };
  Make(0);
  for (int rank = 0; rank < kProcesses; ++rank) {
    if (rank > 0) Make(rank);
    Meet(rank);
  }
  ExpectAllMet();
  std::thread other([this, &posted] {
    while (posted < 1000) std::this_thread::yield();
    members_[1].process->follower()->AskToEnd();
  });
  // Messages are posted faster than they are sent. More would only take memory.
  for (; !asked && posted < 800'000; ++posted) members_[0].process->leader()->TellAll(grant);
  for (int look = 0; look < 60'000 && !asked; ++look) {
    members_[0].process->leader()->TellAll(grant);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  other.join();
  EXPECT_TRUE(asked) << "not heard while " << posted << " messages were posted";
}

}  // namespace
}  // namespace singa
