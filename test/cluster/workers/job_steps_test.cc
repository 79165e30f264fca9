// Tests how far the worker groups of a job are, and reports of other processes about it, which may
// contain anything.
#include "cluster/workers/job_steps.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "cluster/workers/job_snapshot.h"
#include "singa/base/error.h"
#include "support/threaded_job.h"

namespace singa {
namespace {

// Makes a job of two groups with one worker, each in its own process.
JobProto JobOfTwoGroups() {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 4 shape: 3 synthetic_conf { records: 8 classes: 2 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 2 }
              param { name: "w" } param { name: "b" } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" } }
    cluster { nworker_groups: 2 })",
                                                            &job));
  return job;
}

// Returns an answer with groups and their steps, and with one group without steps.
ControlMessage HeldWith(const std::vector<std::pair<int64_t, int64_t>>& groups) {
  ControlMessage answer;
  for (const auto& [group, steps] : groups) {
    ControlMessage::GroupSteps* const its = answer.mutable_held()->add_group();
    its->set_group(group);
    its->set_steps(steps);
  }
  answer.mutable_held()->add_group();
  return answer;
}

class OtherStepsTest : public ::testing::Test {
 protected:
  OtherStepsTest() {
    processes_.MeetAll();
    groups_.steps().Begin({0}, 100);
  }

  // Waits until rank 0 counts that many steps of group 1, and that many refused reports.
  void Await(int64_t steps, int64_t refused) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while ((groups_.steps().done()[1] != steps || groups_.steps().refused() != refused) &&
           std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    EXPECT_EQ(groups_.steps().done()[1], steps);
    EXPECT_EQ(groups_.steps().refused(), refused);
  }

  const JobProto job_ = JobOfTwoGroups();
  ThreadedJob processes_{job_};
  WorkerGroups groups_{job_, 1, &processes_[0]};
  JobSnapshot snapshot_{&groups_};
};

TEST_F(OtherStepsTest, ThatCannotBeAreRefused) {
  processes_[1].peers().NoteSteps(1, 7);
  Await(7, 0);
  for (const int64_t steps : {int64_t{-1}, int64_t{6}, int64_t{101}, INT64_MAX})
    processes_[1].peers().NoteSteps(1, steps);
  Await(7, 4);
  processes_[1].peers().NoteSteps(1, 100);
  Await(100, 4);
}

TEST_F(OtherStepsTest, AlsoInTheAnswerToAHold) {
  std::thread other([this] {
    EXPECT_TRUE(processes_[1].follower()->Next().has_hold());
    processes_[1].follower()->Answer(
        HeldWith({{1, 8}, /*too many:*/ {1, 200}, /*no such group:*/ {7, 9}}));
    EXPECT_TRUE(processes_[1].follower()->Next().has_go());
  });
  {
    const JobSnapshot::Hold hold(&snapshot_);
    EXPECT_EQ(groups_.steps().done()[1], 8);
    EXPECT_EQ(groups_.steps().refused(), 3);
  }
  other.join();
}

TEST(JobStepsTest, GroupsHaveStepsOfTheirOwn) {
  JobSteps steps(JobOfTwoGroups(), nullptr, nullptr);
  steps.NoteSteps(1, 4);
  EXPECT_EQ(steps.done(), (std::vector<int64_t>{0, 4}));
}

TEST(JobStepsTest, AJobsOneProcessLeadsAllGroups) {
  const JobSteps steps(JobOfTwoGroups(), nullptr, nullptr);
  EXPECT_TRUE(steps.Leads(0));
  EXPECT_TRUE(steps.Leads(1));
  EXPECT_EQ(steps.FirstProcess(1), 0);
}

TEST(JobStepsTest, GroupsThatTakeStepsTogetherBeginThoseThatWereGranted) {
  JobProto job = JobOfTwoGroups();
  job.mutable_cluster()->set_user_consistency("any");
  JobSteps steps(job, nullptr, nullptr);
  EXPECT_TRUE(steps.together());
  steps.Begin({0, 1}, 100);
  steps.Grant(1);
  for (const int group : {0, 1}) EXPECT_TRUE(steps.gate().Pass(group, 0));
  steps.NoteSteps(1, 1);
  std::atomic<bool> granted{false};
  std::thread next([&] {
    EXPECT_TRUE(steps.gate().Pass(1, 1));
    EXPECT_TRUE(granted);
  });
  granted = true;
  steps.Grant(2);
  next.join();
}

TEST(JobStepsTest, AloneNoGroupTakesStepsTogether) {
  JobProto job = JobOfTwoGroups();
  job.mutable_cluster()->set_nworker_groups(1);
  job.mutable_cluster()->set_user_consistency("any");
  EXPECT_FALSE(JobSteps(job, nullptr, nullptr).together());
}

TEST(JobStepsTest, TheFirstProcessOfAGroupAllowsNoStepBeyondTheEnd) {
  JobSteps steps(JobOfTwoGroups(), nullptr, nullptr);
  steps.Begin({0}, 100);
  steps.gate().FollowOtherGate(1);
  steps.OnAllowed(1, 101);
  EXPECT_EQ(steps.refused(), 1);
  steps.OnAllowed(1, 100);
  EXPECT_EQ(steps.refused(), 1);
  EXPECT_TRUE(steps.gate().Pass(1, 99));
}

TEST(JobStepsTest, AGroupThatHasLeftIsWaitedForNoMore) {
  JobProto job = JobOfTwoGroups();
  job.mutable_cluster()->set_max_staleness(1);
  JobSteps steps(job, nullptr, nullptr);
  steps.Leave(1);
  EXPECT_TRUE(steps.gate().Pass(0, 50));
}

// Each of two groups has two workers, and each worker a process.
class JobStepsOfProcesses : public testing::Test {
 protected:
  void Start(const std::string& cluster) {
    JobProto job = JobOfTwoGroups();
    EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(
        StrCat("cluster { nworkers_per_group: 2 ", cluster, " }"), &job));
    processes_.emplace(job);
    processes_->MeetAll();
    for (int rank = 0; rank < 4; ++rank) {
      (*processes_)[rank].peers().Listen(&heard_[rank]);
      steps_.push_back(std::make_unique<JobSteps>(job, &(*processes_)[rank], &deadline_));
    }
  }
  ~JobStepsOfProcesses() override {
    for (int rank = 0; rank < 4; ++rank) (*processes_)[rank].peers().Forget();
  }

  // Returns whether `group` may begin a step after `done` in the process of that rank.
  bool MayBegin(int rank, int group, int64_t done) {
    try {
      return steps_[rank]->gate().Pass(group, done);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitStalled) << error.what();
      return false;
    }
  }

  // A thread that has to wait for another process fails soon.
  const ProgressDeadline deadline_{std::chrono::milliseconds(1)};
  Heard heard_[4];
  std::optional<ThreadedJob> processes_;
  std::vector<std::unique_ptr<JobSteps>> steps_;
};

TEST_F(JobStepsOfProcesses, TheFirstProcessOfAGroupLeadsIt) {
  Start("");
  for (const auto& steps : steps_) {
    EXPECT_EQ(steps->FirstProcess(0), 0);
    EXPECT_EQ(steps->FirstProcess(1), 2);
  }
  EXPECT_TRUE(steps_[0]->Leads(0));
  EXPECT_FALSE(steps_[1]->Leads(0));
  EXPECT_TRUE(steps_[2]->Leads(1));
  EXPECT_FALSE(steps_[3]->Leads(1));
}

TEST_F(JobStepsOfProcesses, AnotherProcessOfAGroupTakesTheStepsThatTheFirstAllows) {
  Start("");
  steps_[3]->Begin({1}, 100);
  EXPECT_FALSE(MayBegin(3, 1, 0));
  steps_[2]->AllowSteps(1, 2);
  heard_[3].Await({"allowed 1 2"});
  steps_[3]->OnAllowed(1, 2);
  EXPECT_TRUE(MayBegin(3, 1, 0));
  EXPECT_TRUE(MayBegin(3, 1, 1));
  EXPECT_FALSE(MayBegin(3, 1, 2));
}

// Nobody waits for a group without a bound of staleness. So only its end is told.
TEST_F(JobStepsOfProcesses, StepsAreToldOnlyWhereAGroupMayWaitForThem) {
  Start("");
  steps_[2]->NoteSteps(1, 5);
  steps_[2]->Leave(1);
  heard_[0].Await({"left 1"});
}

TEST_F(JobStepsOfProcesses, AGroupsFirstProcessAloneTellsItsSteps) {
  Start("max_staleness: 3");
  steps_[3]->NoteSteps(1, 4);
  steps_[3]->Leave(1);
  steps_[2]->NoteSteps(1, 5);
  steps_[2]->Leave(1);
  heard_[0].Await({"steps 1 5", "left 1"});
  EXPECT_EQ(steps_[3]->done(), (std::vector<int64_t>{0, 4}));
}

// The first process of group 1 is that of rank 2.
TEST_F(JobStepsOfProcesses, AnAnswerTellsTheStepsOfGroupsThatItsProcessLeads) {
  Start("max_staleness: 3");
  ControlMessage::Held held;
  held.add_group()->set_group(1);
  held.mutable_group(0)->set_steps(8);
  steps_[0]->Begin({0}, 100);
  steps_[0]->OnHeld(3, held);
  EXPECT_EQ(steps_[0]->done(), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(steps_[0]->refused(), 1);
  steps_[0]->OnHeld(2, held);
  EXPECT_EQ(steps_[0]->done(), (std::vector<int64_t>{0, 8}));
}

}  // namespace
}  // namespace singa
