// Tests a process that follows rank 0. Processes are threads here, with real sockets.
#include "driver/job/follow_job.h"

#include <gtest/gtest.h>

#include <future>

#include "comm/message/control_message.h"
#include "driver/job/train_job.h"
#include "io/temp_dir.h"
#include "support/driver/small_job.h"
#include "support/threaded_job.h"

namespace singa::follow_job {
namespace {

constexpr char kTwo[] = "cluster { nworkers_per_group: 2 share_memory: false } ";

class FollowJobTest : public testing::Test {
 protected:
  // Returns the error with which process 1 of a job of two ends after these orders of rank 0.
  std::string ErrorAfter(const std::vector<ControlMessage>& orders) {
    ThreadedJob job(SmallJob(dir_.Path("ws"), StrCat(kTwo, "train_steps: 2")));
    job.MeetAll();
    for (const ControlMessage& order : orders) job[0].leader()->TellAll(order);
    try {
      EXPECT_EQ(FollowJob(OneThread(), &job[1]), kExitOk);
    } catch (const PeerError& error) {
      return error.what();
    }
    return "";
  }
  // Trains by as many processes as `settings` make. Returns the values after the last step.
  std::string Train(const std::string& settings, int processes) {
    const std::string workspace = dir_.Path(StrCat("ws", ++runs_));
    ThreadedJob job(SmallJob(workspace, settings));
    job.MeetAll();
    std::vector<std::future<ExitCode>> followers;
    for (int rank = 1; rank < processes; ++rank)
      followers.push_back(std::async(std::launch::async,
                                     [&job, rank] { return FollowJob(OneThread(), &job[rank]); }));
    RunOptions options = OneThread();
    options.process = &job[0];
    options.meet = [] {};
    Progress progress;
    EXPECT_EQ(TrainUnwatched(job[0].part().job(), options, &progress), kExitOk);
    for (auto& follower : followers) EXPECT_EQ(follower.get(), kExitOk);
    return TempDir::Read(workspace + "/checkpoint/step4/model.safetensors");
  }

  const TempDir dir_;
  int runs_ = 0;
};

TEST_F(FollowJobTest, EndsIfRankZeroHasNothingForIt) {
  ControlMessage end;
  end.mutable_end();
  EXPECT_EQ(ErrorAfter({end}), "");
}

TEST_F(FollowJobTest, OrdersToALostProcessBeforeItAreDropped) {
  ControlMessage hold, grant, end;
  hold.mutable_hold();
  grant.mutable_grant()->set_steps(1);
  end.mutable_end();
  EXPECT_EQ(ErrorAfter({hold, grant, end}), "");
}

TEST_F(FollowJobTest, RankZeroSaysHowFarEachGroupIs) {
  for (const std::vector<int64_t>& steps :
       {std::vector<int64_t>{}, std::vector<int64_t>{0, 0}, std::vector<int64_t>{-1}}) {
    ControlMessage begin;
    begin.mutable_begin()->set_steps(1);
    begin.mutable_begin()->mutable_group_steps()->Add(steps.begin(), steps.end());
    EXPECT_EQ(ErrorAfter({begin}),
              "process 0 does not say how many steps each worker group has done");
  }
}

TEST_F(FollowJobTest, RankZeroSaysHowManyStepsTheJobHas) {
  ControlMessage begin;
  begin.mutable_begin()->add_group_steps(0);
  EXPECT_EQ(ErrorAfter({begin}), "process 0 does not say how many steps the job has");
  begin.mutable_begin()->set_steps(-1);
  EXPECT_EQ(ErrorAfter({begin}), "process 0 says that the job has -1 steps");
}

TEST_F(FollowJobTest, AFirstOrderSaysWhereTheValuesComeFrom) {
  ControlMessage begin;
  *begin.mutable_begin() = BeginAt({0}, 2, "");
  EXPECT_NE(ErrorAfter({begin}), "");
}

TEST_F(FollowJobTest, TrainsItsPartOfTheGroup) {
  const std::string steps = "train_steps: 4 ";
  const std::string threads =
      StrCat("cluster { nworkers_per_group: 2 nworkers_per_procs: 2 } ", steps);
  const std::string workspace = dir_.Path("alone");
  Progress progress;
  EXPECT_EQ(TrainUnwatched(SmallJob(workspace, threads), OneThread(), &progress), kExitOk);
  EXPECT_EQ(Train(kTwo + steps, 2),
            TempDir::Read(workspace + "/checkpoint/step4/model.safetensors"));
}

TEST_F(FollowJobTest, TrainsGroupsOfItsOwnAndGivesTheirState) {
  EXPECT_NE(Train("cluster { nworker_groups: 2 } train_steps: 4 checkpoint_freq: 2", 2), "");
}

}  // namespace
}  // namespace singa::follow_job
