// Tests a worker group in several processes of a job. Processes are threads here, over real
// sockets.
#include <gtest/gtest.h>

#include <thread>

#include "support/threaded_job.h"

namespace singa {
namespace {

// Makes a job whose ranks 0 and 1 have group 0, and ranks 2 and 3 group 1.
JobProto TwoGroups() {
  JobProto job;
  job.mutable_updater()->set_type(kSGD);
  job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
  job.mutable_cluster()->set_nworker_groups(2);
  job.mutable_cluster()->set_nworkers_per_group(6);
  job.mutable_cluster()->set_nworkers_per_procs(3);
  job.mutable_cluster()->set_start_timeout(30);
  return job;
}

TEST(GroupInProcesses, ItsFirstLeadsTheOthers) {
  Heard heard[4];
  ThreadedJob job(TwoGroups());
  job.MeetAll();
  for (int rank = 0; rank < 4; ++rank) job[rank].peers().Listen(&heard[rank]);
  job[3].peers().AllowSteps(1, 9);  // rank 3 may decide neither this nor the group's steps
  job[3].peers().NoteSteps(1, 9);
  job[3].peers().NoteLeft(1);
  job[2].peers().AllowSteps(1, 1);
  job[2].peers().AllowSteps(1, 2);
  heard[3].Await({"allowed 1 1", "allowed 1 2"});
  job[2].peers().NoteSteps(1, 2);
  job[2].peers().NoteLeft(1);
  heard[0].Await({"steps 1 2", "left 1"});
  heard[1].Await({"steps 1 2", "left 1"});
  for (int rank = 0; rank < 4; ++rank) job[rank].peers().Forget();
}

TEST(GroupInProcesses, ItsFirstHasTheStatesOfTheOthers) {
  ThreadedJob job(TwoGroups());
  job.MeetAll();
  std::thread first([&] {
    EXPECT_EQ(job[2].follower()->AwaitStates(1), (std::vector<std::string>{"three"}));
    job[2].follower()->GiveState(0, "two and three");
  });
  job[1].follower()->GiveState(0, "one");
  job[3].follower()->GiveState(2, "three");
  job[3].follower()->GiveState(0, "");
  EXPECT_EQ(job[0].leader()->CollectStates({5, 5}),
            (std::vector<std::string>{"one", "two and three", ""}));
  first.join();
}

}  // namespace
}  // namespace singa
