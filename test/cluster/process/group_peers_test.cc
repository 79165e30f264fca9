// Tests which news of worker groups a process believes, and to whom it passes them on.
#include "cluster/process/group_peers.h"

#include <gtest/gtest.h>

#include "cluster/protocol/addresses.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

ControlMessage::GroupSteps Steps(int64_t group, int64_t steps) {
  ControlMessage::GroupSteps news;
  news.set_group(group);
  news.set_steps(steps);
  return news;
}

ControlMessage::Left LeftOf(int64_t group) {
  ControlMessage::Left news;
  news.set_group(group);
  return news;
}

ControlMessage::Row RowAt(int64_t group, int64_t step) {
  ControlMessage::Row row;
  row.set_group(group);
  row.set_step(step);
  return row;
}

class NotedNews final : public GroupEvents {
 public:
  void OnSteps(int group, int64_t steps) override { Note("steps", group, steps); }
  void OnLeft(int group) override { Note("left", group, 0); }
  void OnAllowed(int group, int64_t steps) override { Note("allowed", group, steps); }
  void OnReplaced(int group, int64_t steps) override { Note("replaced", group, steps); }
  void OnRow(const ControlMessage::Row& row) override {
    Note("row", static_cast<int>(row.group()), row.step());
  }
  void OnFailure() override { Note("failure", 0, 0); }
  std::vector<std::string> Take() { return std::exchange(all_, {}); }

 private:
  void Note(const char* what, int group, int64_t number) {
    all_.push_back(StrCat(what, " ", group, " ", number));
  }
  std::vector<std::string> all_;
};

// Ranks 0 and 1 have group 0, and ranks 2 and 3 have group 1.
class GroupPeersTest : public ::testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  static ProcessPlace PlaceOf(int rank) {
    ProcessPlace place;
    place.rank = rank;
    return place;
  }
  struct Process {
    Process(const JobProto& job, int rank)
        : part(job, PlaceOf(rank)),
          control(rank, part.processes(), &sent, &deadline, std::chrono::seconds(1)) {
      if (rank == 0) leader.emplace(part.topology(), &control);
      peers.emplace(part, &control, leader ? &*leader : nullptr);
      peers->Listen(&news);
    }
    // Returns the receivers of all messages, in order.
    std::vector<int> Receivers() const {
      std::vector<int> ranks;
      for (const Message& message : sent.messages)
        ranks.push_back(ProcessOf(part.topology(), message.head.to()));
      return ranks;
    }

    const JobPart part;
    const ProgressDeadline deadline{std::chrono::milliseconds(30'000)};  // for a test that fails
    SentMessages sent;
    ControlChannel control;
    std::optional<Leader> leader;
    NotedNews news;
    std::optional<GroupPeers> peers;
  };

  const JobProto job = JobOf(kSumUpdater, "nworker_groups: 2 nworkers_per_group: 2");
};

TEST_F(GroupPeersTest, RankZeroBelievesTheFirstProcessOfAGroup) {
  Process first(job, 0);
  first.peers->OnSteps(2, Steps(1, 5));
  first.peers->OnLeft(2, LeftOf(1));
  EXPECT_EQ(first.news.Take(), (Texts{"steps 1 5", "left 1 0"}));
  EXPECT_EQ(first.Receivers(), (std::vector<int>{1, 3, 1, 3})) << "all but the source";
}

TEST_F(GroupPeersTest, RankZeroBelievesNobodyElse) {
  Process first(job, 0);
  first.peers->OnSteps(3, Steps(1, 5));  // not the first process of the group
  first.peers->OnSteps(1, Steps(0, 5));  // rank 0 knows its own group itself
  for (const int64_t group : {int64_t{-1}, int64_t{2}, (int64_t{1} << 32) + 1}) {
    first.peers->OnSteps(2, Steps(group, 5));
    first.peers->OnLeft(2, LeftOf(group));
    first.peers->OnRow(2, RowAt(group, 5));
  }
  first.peers->OnRow(3, RowAt(1, 5));
  EXPECT_EQ(first.news.Take(), Texts());
  EXPECT_TRUE(first.sent.messages.empty());
}

TEST_F(GroupPeersTest, OthersBelieveRankZero) {
  Process last(job, 3);
  last.peers->OnSteps(0, Steps(0, 5));
  last.peers->OnSteps(1, Steps(0, 6));  // the group's second process
  last.peers->OnSteps(0, Steps(1, 7));  // a group with workers here
  last.peers->OnLeft(0, LeftOf(0));
  last.peers->OnRow(0, RowAt(0, 8));  // rows go to rank 0 alone
  EXPECT_EQ(last.news.Take(), (Texts{"steps 0 5", "left 0 0"}));
  EXPECT_TRUE(last.sent.messages.empty());
}

TEST_F(GroupPeersTest, TellRankZeroOfTheirGroup) {
  Process second(job, 2);
  second.peers->NoteSteps(1, 4);
  second.peers->NoteLeft(1);
  second.peers->SendRow(RowAt(1, 4));
  EXPECT_EQ(second.Receivers(), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(second.sent.messages[0].head.control().steps().steps(), 4);
  EXPECT_TRUE(second.sent.messages[1].head.control().has_left());
  EXPECT_EQ(second.sent.messages[2].head.control().row().step(), 4);
}

TEST_F(GroupPeersTest, TheFirstProcessOfAGroupAllowsItsSteps) {
  Process second(job, 2), last(job, 3);
  second.peers->AllowSteps(1, 4);
  EXPECT_EQ(second.Receivers(), std::vector<int>{3});
  last.peers->OnGroupGrant(2, second.sent.messages[0].head.control().group_grant());
  EXPECT_EQ(last.news.Take(), Texts{"allowed 1 4"});
  last.peers->OnGroupGrant(0, Steps(1, 9));
  last.peers->OnGroupGrant(1, Steps(1, 9));
  last.peers->OnGroupGrant(2, Steps(0, 9));
  last.peers->OnGroupGrant(2, Steps((int64_t{1} << 32) + 1, 9));
  EXPECT_EQ(last.news.Take(), Texts());
}

// Rank 0 decides about the steps of its own group by other messages.
TEST_F(GroupPeersTest, RankZeroAllowsNoStepsThisWay) {
  Process other(job, 1);
  other.peers->OnGroupGrant(0, Steps(0, 9));
  EXPECT_EQ(other.news.Take(), Texts());
}

TEST_F(GroupPeersTest, RowsThatAReplacedProcessRepeatsAreNoNews) {
  const JobProto apart = JobOf(kSumUpdater, "nworker_groups: 2 server_worker_separate: true");
  Process first(apart, 0);
  for (const int rank : {1, 2}) first.leader->OnAnswer(rank, EmptyControl(ControlMessage::kFilled));
  first.leader->AwaitFilled();
  first.peers->OnRow(1, RowAt(1, 6));
  ASSERT_TRUE(first.leader->Greet(1));
  first.peers->OnReplaced({{1, 2}});
  first.peers->OnRow(1, RowAt(1, 6));
  first.peers->OnRow(1, RowAt(1, 7));
  EXPECT_EQ(first.news.Take(), (Texts{"row 1 6", "replaced 1 2", "row 1 7"}));
}

TEST_F(GroupPeersTest, AfterForgetNobodyHears) {
  Process last(job, 3);
  last.peers->Forget();
  last.peers->OnSteps(0, Steps(0, 5));
  last.peers->OnGroupGrant(2, Steps(1, 5));
  last.peers->OnReplaced({{0, 2}});
  last.peers->OnFailure();
  EXPECT_EQ(last.news.Take(), Texts());
}

TEST_F(GroupPeersTest, WhoeverListensAfterAFailureHearsOfIt) {
  Process last(job, 3);
  last.peers->OnFailure();
  last.peers->Listen(&last.news);
  EXPECT_EQ(last.news.Take(), Texts{"failure 0 0"}) << "the job has not failed yet";
  last.control.Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  last.peers->Listen(&last.news);
  EXPECT_EQ(last.news.Take(), Texts{"failure 0 0"});
}

TEST_F(GroupPeersTest, KnowWhichProcessesTheirGroupsFirstLeads) {
  Process second(job, 2), last(job, 3);
  EXPECT_TRUE(second.peers->LeadsProcess(2));
  EXPECT_TRUE(second.peers->LeadsProcess(3));
  EXPECT_FALSE(second.peers->LeadsProcess(1));
  EXPECT_FALSE(last.peers->LeadsProcess(3));
}

}  // namespace
}  // namespace singa
