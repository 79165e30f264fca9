// Tests the orders that rank 0 sends and the answers that it waits for, without a network.
#include "cluster/process/leader.h"

#include <gtest/gtest.h>

#include "cluster/protocol/addresses.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

// Each of three groups is in a process of its own, and process 3 has the servers.
class LeaderTest : public ::testing::Test {
 protected:
  using Kind = ControlMessage::KindCase;

  // Returns the orders to `rank` since the last call of Clear.
  std::vector<ControlMessage> To(int rank) const {
    std::vector<ControlMessage> orders;
    for (const Message& message : sent.messages)
      if (ProcessOf(topology, message.head.to()) == rank) orders.push_back(message.head.control());
    return orders;
  }
  std::vector<Kind> KindsTo(int rank) const {
    std::vector<Kind> kinds;
    for (const ControlMessage& order : To(rank)) kinds.push_back(order.kind_case());
    return kinds;
  }
  void Answer(Kind kind) {
    for (int rank = 1; rank < 4; ++rank) leader.OnAnswer(rank, EmptyControl(kind));
  }
  // Begins the job, so that processes may be replaced.
  void Begin(const std::vector<int64_t>& steps) {
    leader.TellBegin(BeginAt(steps, 20, "step9"));
    Answer(Kind::kFilled);
    leader.AwaitFilled();
    sent.messages.clear();
  }

  const JobProto job =
      JobOf(kSumUpdater, "nworker_groups: 3 server_worker_separate: true start_timeout: 30");
  const Topology topology{job.cluster()};
  const ProgressDeadline deadline{std::chrono::milliseconds(30'000)};  // for a test that fails
  SentMessages sent;
  ControlChannel control{0, 4, &sent, &deadline, std::chrono::seconds(1)};
  Leader leader{topology, &control};
};

TEST_F(LeaderTest, TellsTheDivisionOfAnyNumberOfLayersInMessagesThatFit) {
  ControlMessage::Partition partition;
  for (int i = 0; i < 5000; ++i)
    partition.add_layers()->set_name(StrCat("a layer with a name of some length, ", i));
  leader.TellPartition(partition);
  Begin({0, 0, 0});
  ASSERT_TRUE(leader.Greet(1));  // a process that takes the place of a lost one
  ControlMessage::Partition told;
  for (const ControlMessage& order : To(1)) {
    EXPECT_LT(order.ByteSizeLong(), size_t{64} << 10);
    told.MergeFrom(order.partition());
  }
  EXPECT_EQ(told.SerializeAsString(), partition.SerializeAsString());
}

TEST_F(LeaderTest, TellsADivisionWithoutLayersByUnits) {
  leader.TellPartition({});
  EXPECT_EQ(KindsTo(2), std::vector{Kind::kPartition});
}

TEST_F(LeaderTest, TellsAllOthersWhereTheyBegin) {
  leader.TellBegin(BeginAt({4, 5, 6}, 20, "step4"));
  EXPECT_TRUE(To(0).empty());
  for (int rank = 1; rank < 4; ++rank) {
    ASSERT_EQ(KindsTo(rank), std::vector{Kind::kBegin}) << rank;
    EXPECT_EQ(To(rank)[0].begin().checkpoint(), "step4");
    EXPECT_EQ(To(rank)[0].begin().group_steps(2), 6);
    EXPECT_EQ(To(rank)[0].begin().steps(), 20);
  }
}

TEST_F(LeaderTest, ReplacesNobodyBeforeAllHaveTheirValues) {
  leader.TellBegin(BeginAt({4, 5, 6}, 20, ""));
  EXPECT_FALSE(leader.Greet(1));
}

TEST_F(LeaderTest, ANewProcessBeginsWhereAllBegan) {
  Begin({4, 5, 6});
  EXPECT_EQ(leader.Greet(1), (std::map<int, int64_t>{{1, 5}}));
  ASSERT_EQ(KindsTo(1), std::vector{Kind::kTakePlace});
  EXPECT_EQ(To(1)[0].take_place().begin().checkpoint(), "step9");
  EXPECT_TRUE(To(2).empty());
}

TEST_F(LeaderTest, ANewProcessBeginsAtTheLastCheckpoint) {
  Begin({4, 5, 6});
  leader.NoteStart(BeginAt({14, 15, 16}, 20, "step14"));
  EXPECT_TRUE(sent.messages.empty()) << "the others are not told";
  EXPECT_EQ(leader.Greet(2), (std::map<int, int64_t>{{2, 16}}));
  EXPECT_EQ(To(2)[0].take_place().begin().checkpoint(), "step14");
}

TEST_F(LeaderTest, TellsANewProcessOfTheOthersOnceItListens) {
  leader.NoteSteps(2, 7, 2);
  sent.messages.clear();
  leader.OnAnswer(1, EmptyControl(Kind::kListens));
  EXPECT_TRUE(sent.messages.empty()) << "the job has not begun";
  Begin({0, 0, 0});
  leader.NoteLeft(0, 0);
  sent.messages.clear();
  leader.OnAnswer(1, EmptyControl(Kind::kListens));
  EXPECT_EQ(KindsTo(1), (std::vector{Kind::kLeft, Kind::kSteps}));
  EXPECT_EQ(To(1)[1].steps().steps(), 7);
}

TEST_F(LeaderTest, HoldsAllAndHasTheirAnswersByRank) {
  for (int rank = 3; rank > 0; --rank) {
    ControlMessage held;
    held.mutable_held()->add_group()->set_steps(10 * rank);
    leader.OnAnswer(rank, held);
  }
  const std::vector<ControlMessage> answers = leader.HoldAll();
  ASSERT_EQ(answers.size(), 3u);
  for (int rank = 1; rank < 4; ++rank) {
    EXPECT_EQ(answers[rank - 1].held().group(0).steps(), 10 * rank);
    EXPECT_EQ(KindsTo(rank), std::vector{Kind::kHold});
  }
  leader.GoAll();
  EXPECT_EQ(KindsTo(3), (std::vector{Kind::kHold, Kind::kGo}));
}

TEST_F(LeaderTest, PassesNewsOnToAllButItsSource) {
  leader.NoteSteps(1, 8, 1);
  leader.NoteLeft(1, 1);
  EXPECT_TRUE(To(0).empty());
  EXPECT_TRUE(To(1).empty());
  EXPECT_EQ(KindsTo(2), (std::vector{Kind::kSteps, Kind::kLeft}));
  EXPECT_EQ(KindsTo(3), (std::vector{Kind::kSteps, Kind::kLeft}));
}

TEST_F(LeaderTest, LetsAllBeginTheFirstStepTogether) {
  Answer(Kind::kReady);
  leader.AwaitReady();
  for (int rank = 1; rank < 4; ++rank) EXPECT_EQ(KindsTo(rank), std::vector{Kind::kAllReady});
}

TEST_F(LeaderTest, SendsANewProcessHomeAfterTheEnd) {
  Begin({0, 0, 0});
  leader.TellEnd();
  sent.messages.clear();
  EXPECT_TRUE(leader.Greet(1));
  EXPECT_EQ(KindsTo(1), std::vector{Kind::kEnd});
}

TEST_F(LeaderTest, ThrowsTheErrorThatEndsTheJob) {
  control.Fail(std::make_exception_ptr(PeerError("process 2 was lost")));
  EXPECT_THROW(leader.AwaitAll(Kind::kExchanged), PeerError);
}

}  // namespace
}  // namespace singa
