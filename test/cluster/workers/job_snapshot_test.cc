// Tests how a job's groups are held still, and what is collected then. groups_together_test.cc
// tests that training goes on with a group's own values.
#include "cluster/workers/job_snapshot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "singa/base/error.h"
#include "support/cluster/small_groups.h"
#include "support/threaded_job.h"

namespace singa {
namespace {

// Each of two groups has values of its own, which servers keep together.
class JobSnapshotTest : public ::testing::Test {
 protected:
  // Returns how many updates the replica's first slice has had.
  int64_t Count() { return job_.groups.lead().replica().count_of(0); }
  void Collect(int64_t steps) {
    const JobSnapshot::Hold hold(&snapshot_);
    snapshot_.Collect(steps);
  }
  // Has group 1 ask for its first step, and expects that it waits for `end`.
  void ExpectHeldUntil(const std::function<void()>& end) {
    StepGate& gate = job_.groups.steps().gate();
    std::atomic<bool> ended{false};
    std::thread other([&] {
      EXPECT_TRUE(gate.Pass(1, 0));
      EXPECT_TRUE(ended);
      gate.Leave(1);
    });
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    ended = true;
    end();
    other.join();
  }

  SmallGroups job_{"share_memory: false nworker_groups: 2"};
  JobSnapshot snapshot_{&job_.groups};
};

TEST_F(JobSnapshotTest, AnotherGroupBeginsNoStepWhileItIsHeld) {
  std::optional<JobSnapshot::Hold> hold(std::in_place, &snapshot_);
  EXPECT_TRUE(job_.groups.steps().gate().Pass(0, 0)) << "the first group is not held";
  ExpectHeldUntil([&] { hold.reset(); });
}

TEST_F(JobSnapshotTest, TheEndOfAHoldWithinAnotherEndsNothing) {
  std::optional<JobSnapshot::Hold> outer(std::in_place, &snapshot_);
  { const JobSnapshot::Hold inner(&snapshot_); }
  ExpectHeldUntil([&] { outer.reset(); });
}

TEST_F(JobSnapshotTest, TheModelHasTheUpdatesOfAllGroups) {
  job_.Train(0, 0);
  job_.Train(1, 0);
  job_.Train(1, 1);
  Collect(1);
  EXPECT_EQ(Count(), 3);
}

TEST_F(JobSnapshotTest, IsCollectedOnceInAHold) {
  const JobSnapshot::Hold hold(&snapshot_);
  snapshot_.Collect(0);
  Param* const bias = job_.groups.lead().model().params().Find("b");
  bias->data.data()[0] = 77;
  {
    const JobSnapshot::Hold inner(&snapshot_);
    snapshot_.Collect(0);
  }
  snapshot_.Collect(0);
  EXPECT_EQ(bias->data.data()[0], 77);
}

TEST_F(JobSnapshotTest, TheNextHoldCollectsAgain) {
  Collect(0);
  job_.Train(1, 0);
  Collect(0);
  EXPECT_EQ(Count(), 1);
}

TEST_F(JobSnapshotTest, WithoutACollectionThereAreNoValuesToBringBack) {
  job_.Train(0, 0);
  const std::vector<float> own = job_.ValuesOf(0);
  snapshot_.BringOwnValuesBack();
  EXPECT_EQ(job_.ValuesOf(0), own);
}

TEST_F(JobSnapshotTest, OneProcessHasNoStatesOfOthers) {
  const JobSnapshot::Hold hold(&snapshot_);
  EXPECT_TRUE(snapshot_.CollectStates().empty());
}

// The model is the replica, which all groups share.
TEST(JobSnapshot, OfSharedValuesIsWhereItIs) {
  SmallGroups job("nworker_groups: 2");
  JobSnapshot snapshot(&job.groups);
  job.Train(0, 0);
  job.Train(1, 0);
  const std::vector<float> values = job.ValuesOf(0);
  const JobSnapshot::Hold hold(&snapshot);
  snapshot.Collect(1);
  EXPECT_EQ(job.ValuesOf(0), values);
  EXPECT_EQ(job.groups.lead().replica().count_of(0), 2);
}

// Rank 0 has group 0, and rank 1, which the test plays, has group 1.
class JobSnapshotOfProcesses : public ::testing::Test {
 protected:
  JobSnapshotOfProcesses() {
    processes_.MeetAll();
    groups_.steps().Begin({0}, job_.train_steps());
  }

  static ControlMessage Held(int64_t steps) {
    ControlMessage answer;
    ControlMessage::GroupSteps* const its = answer.mutable_held()->add_group();
    its->set_group(1);
    its->set_steps(steps);
    return answer;
  }
  // Has rank 1 answer a hold, and then give `state` for a checkpoint.
  void PlayRankOne(const std::string& state) {
    Follower& follower = *processes_[1].follower();
    EXPECT_TRUE(follower.Next().has_hold());
    follower.Answer(Held(6));
    const ControlMessage request = follower.Next();
    ASSERT_TRUE(request.has_checkpoint_request());
    EXPECT_EQ(request.checkpoint_request().group_steps(1), 6);
    follower.GiveState(0, state);
    EXPECT_TRUE(follower.Next().has_go());
  }

  const JobProto job_ = SmallGroupsJob("nworker_groups: 2");
  ThreadedJob processes_{job_};
  WorkerGroups groups_{job_, 1, &processes_[0]};
};

TEST_F(JobSnapshotOfProcesses, IsTakenOnceTheOthersStandStill) {
  ProcessState given;
  given.add_tensor()->set_name("momentum");
  std::thread other([&] { PlayRankOne(given.SerializeAsString()); });
  std::vector<int64_t> steps_when_held;
  JobSnapshot snapshot(&groups_, [&] { steps_when_held = groups_.steps().done(); });
  std::vector<ProcessState> states;
  {
    const JobSnapshot::Hold hold(&snapshot);
    const JobSnapshot::Hold inner(&snapshot);  // asks nobody again
    states = snapshot.CollectStates();
  }
  other.join();
  EXPECT_EQ(steps_when_held, (std::vector<int64_t>{0, 6}));
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0].tensor(0).name(), "momentum");
}

TEST_F(JobSnapshotOfProcesses, RefusesAStateThatIsNone) {
  std::thread other([&] { PlayRankOne("\xff\xff"); });
  JobSnapshot snapshot(&groups_);
  {
    const JobSnapshot::Hold hold(&snapshot);
    try {
      snapshot.CollectStates();
      ADD_FAILURE() << "no error";
    } catch (const PeerError& error) {
      EXPECT_STREQ(error.what(), "the state that a process sent for a checkpoint is not valid");
    }
  }
  other.join();
}

}  // namespace
}  // namespace singa
