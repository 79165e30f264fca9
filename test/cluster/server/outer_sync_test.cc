// Tests rounds of local steps and outer steps (group_sync: kOuter).
#include "cluster/server/outer_sync.h"

#include <gtest/gtest.h>

#include "support/cluster/sync_of_a_server.h"

namespace singa {
namespace {

// sync_freq is 2. Slice 0 has its master in group 0, slice 1 in group 1.
struct OuterOfAServer : SyncOfAServer {
  explicit OuterOfAServer(int group, const std::string& settings = "outer_lr: 1 outer_momentum: 0")
      : SyncOfAServer(StrCat("kOuter ", settings), group) {}
  // Does a step that adds `change`.
  void Step(int slice, float change) {
    shard.Drop(slice);
    Update(slice, change);
  }
};

TEST(OuterSyncTest, AGroupSendsItsChangeEachRoundAndWaits) {
  OuterOfAServer server(2);
  server.Step(0, 1);
  EXPECT_EQ(server.Sent(), "");
  EXPECT_FALSE(server.sync->Holds(0));
  server.Step(0, 2);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #1 of 2+0 3;");
  EXPECT_TRUE(server.sync->Holds(0));
  EXPECT_FALSE(server.sync->Holds(1));
  EXPECT_TRUE(server.OnReply(0, 1, {7}, 0));
  EXPECT_EQ(server.value(0), 10 + 7) << "the model, and the outer step";
  EXPECT_FALSE(server.sync->Holds(0));
  server.Step(0, 1);
  server.Step(0, 1);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #2 of 2+0 2;");
}

TEST(OuterSyncTest, TheMasterAnswersOnceAllGroupsAreThere) {
  OuterOfAServer master(0);
  EXPECT_TRUE(master.OnSync(0, 1, {6}, 2, 2));
  master.Step(0, 1);
  master.Step(0, 1);
  EXPECT_TRUE(master.sync->Holds(0));
  EXPECT_EQ(master.Sent(), "");
  EXPECT_EQ(master.sync->Model(0)[0], 10) << "of the last round";
  EXPECT_TRUE(master.OnSync(0, 1, {1}, 1, 1));
  EXPECT_EQ(master.Sent(), "kSyncReply->1 slice 0 #1 of 0+0 3;kSyncReply->2 slice 0 #1 of 0+0 3;");
  EXPECT_EQ(master.value(0), 13) << "the mean of 12, 11 and 16";
  EXPECT_EQ(master.sync->Model(0)[0], 13);
  EXPECT_FALSE(master.sync->Holds(0));
}

TEST(OuterSyncTest, TheLastGroupMayBeTheMasters) {
  OuterOfAServer master(0);
  EXPECT_TRUE(master.OnSync(0, 1, {1}, 1, 1));
  EXPECT_TRUE(master.OnSync(0, 1, {6}, 2, 2));
  master.Step(0, 1);
  EXPECT_EQ(master.Sent(), "");
  master.Step(0, 1);
  EXPECT_EQ(master.Sent(), "kSyncReply->1 slice 0 #1 of 0+0 3;kSyncReply->2 slice 0 #1 of 0+0 3;");
  EXPECT_FALSE(master.sync->exchanging());
}

// The gradient g is -3, then -1: m = g + 0.5 m is -3, then -2.5, and values fall by lr (g + 0.5 m).
TEST(OuterSyncTest, AnOuterStepHasNesterovsMomentum) {
  OuterOfAServer master(0, "outer_lr: 2 outer_momentum: 0.5");
  for (const float change : {3.f, 1.f}) {
    master.Step(0, change);
    master.Step(0, 0);
    const int64_t round = change == 3 ? 1 : 2;
    for (const int group : {1, 2}) EXPECT_TRUE(master.OnSync(0, round, {change}, group, group));
  }
  EXPECT_EQ(master.value(0), 10 + 2 * (3 + 0.5f * 3) + 2 * (1 + 0.5f * 2.5f));
}

TEST(OuterSyncTest, AGroupThatComesTwiceInARoundIsRefused) {
  OuterOfAServer master(0);
  EXPECT_TRUE(master.OnSync(0, 1, {6}, 2, 2));
  EXPECT_FALSE(master.OnSync(0, 1, {6}, 2, 2));
  EXPECT_FALSE(master.OnSync(0, 2, {6}, 2, 2)) << "a round before the last one has ended";
}

TEST(OuterSyncTest, TheLastStepOfTheJobEndsARound) {
  OuterOfAServer server(2);
  for (const int64_t round : {1, 2}) {
    for (int i = 0; i < 2; ++i) server.Step(0, 1);
    EXPECT_TRUE(server.OnReply(0, round, {2}, 0));
  }
  server.Sent();
  server.Step(0, 1);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #3 of 2+0 1;");
}

TEST(OuterSyncTest, ItsStateGoesOnInAnotherServer) {
  OuterOfAServer first(0, "outer_lr: 1 outer_momentum: 0.5");
  first.Step(0, 3);
  first.Step(0, 0);
  for (const int group : {1, 2}) EXPECT_TRUE(first.OnSync(0, 1, {3}, group, group));
  first.Step(0, 1);  // local
  first.shard.set_count(0, 2 * (1 << 20) + 7);
  std::map<std::string, std::vector<float>> state;
  for (const GroupSync::Kept& kept : first.sync->StateOf(0))
    state[kept.name].assign(kept.floats.begin(), kept.floats.end());
  EXPECT_EQ(state,
            (std::map<std::string, std::vector<float>>{{"outer/group0/a/0-1/values", {15.5f}},
                                                       {"outer/group0/a/0-1/count", {2, 7}},
                                                       {"outer/momentum/a/0-1", {3}}}));

  OuterOfAServer second(0, "outer_lr: 1 outer_momentum: 0.5");
  second.sync->Restore(state);
  second.shard.Put(0, 3, 0, std::vector<float>{first.sync->Model(0)[0]});
  second.sync->Start(0);
  EXPECT_EQ(second.value(0), 15.5f);
  EXPECT_EQ(second.sync->Model(0)[0], 14.5f);
  EXPECT_EQ(second.shard.count(0), 2 * (1 << 20) + 7);
}

TEST(OuterSyncTest, FragmentsEndTheirRoundsInTurn) {
  OuterOfAServer server(2, "outer_fragments: 2");
  for (const int64_t step : {1, 2, 3, 4, 5}) {
    for (const int slice : {0, 1}) {
      server.Step(slice, 1);
      const bool ends = step == 5 || step % 2 == (slice == 0 ? 0 : 1);
      EXPECT_EQ(server.sync->Holds(slice), ends) << "step " << step << " of slice " << slice;
      if (!ends) continue;
      EXPECT_TRUE(server.OnReply(slice, (step + 1 + slice) / 2, {0}, slice));
    }
  }
}

// Tests of overlap: rounds end at steps 2, 4 and 5, and outer steps are due a step later.
constexpr char kOverlap[] = "outer_lr: 1 outer_momentum: 0 outer_overlap: 1 outer_mixing: 0.25";

TEST(OuterSyncTest, AnOuterStepThatComesEarlyIsTakenWhenItIsDue) {
  OuterOfAServer server(2, kOverlap);
  server.Step(0, 1);
  server.Step(0, 2);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #1 of 2+0 3;");
  EXPECT_FALSE(server.sync->Holds(0));
  EXPECT_TRUE(server.sync->exchanging());
  EXPECT_TRUE(server.OnReply(0, 1, {5}, 0));
  EXPECT_FALSE(server.sync->exchanging());
  EXPECT_EQ(server.value(0), 13);
  EXPECT_EQ(server.sync->Model(0)[0], 10);
  server.Step(0, 4);
  EXPECT_EQ(server.sync->Model(0)[0], 15);
  EXPECT_EQ(server.value(0), 0.25f * 17 + 0.75f * 15) << "its own 10 + 3 + 4, and the model";
  server.Step(0, 1);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #2 of 2+0 1.5;");
}

TEST(OuterSyncTest, AnOuterStepThatComesLateIsWaitedFor) {
  OuterOfAServer server(2, kOverlap);
  for (const float change : {1.f, 2.f, 4.f}) server.Step(0, change);
  EXPECT_TRUE(server.sync->Holds(0));
  EXPECT_EQ(server.value(0), 17);
  EXPECT_TRUE(server.OnReply(0, 1, {-1}, 0));
  EXPECT_FALSE(server.sync->Holds(0));
  EXPECT_EQ(server.sync->Model(0)[0], 9);
  EXPECT_EQ(server.value(0), 0.25f * 17 + 0.75f * 9);
  server.Sent();
  server.Step(0, 0);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #2 of 2+0 2;") << "what it kept of its own";
}

TEST(OuterSyncTest, TheMasterKeepsItsOwnOuterStepUntilItIsDue) {
  OuterOfAServer master(0, kOverlap);
  for (const int group : {1, 2}) EXPECT_TRUE(master.OnSync(0, 1, {3}, group, group));
  master.Step(0, 3);
  master.Step(0, 0);
  EXPECT_EQ(master.Sent(), "kSyncReply->1 slice 0 #1 of 0+0 3;kSyncReply->2 slice 0 #1 of 0+0 3;");
  EXPECT_EQ(master.sync->Model(0)[0], 10);
  EXPECT_FALSE(master.sync->exchanging());
  master.Step(0, 4);
  EXPECT_EQ(master.sync->Model(0)[0], 13);
  EXPECT_EQ(master.value(0), 0.25f * 17 + 0.75f * 13);
}

TEST(OuterSyncTest, TheLastStepOfTheJobTakesOuterStepsUnderWayFirst) {
  OuterOfAServer server(2, kOverlap);
  for (int i = 0; i < 2; ++i) server.Step(0, 1);
  EXPECT_TRUE(server.OnReply(0, 1, {0}, 0));
  for (int i = 0; i < 3; ++i) server.Step(0, 1);
  server.Sent();
  EXPECT_TRUE(server.sync->Holds(0));
  EXPECT_TRUE(server.OnReply(0, 2, {8}, 0));
  EXPECT_EQ(server.sync->Model(0)[0], 18);
  EXPECT_TRUE(server.sync->Holds(0)) << "for the last round";
  EXPECT_TRUE(server.OnReply(0, 3, {1}, 0));
  EXPECT_FALSE(server.sync->Holds(0));
  EXPECT_EQ(server.value(0), 19) << "nothing was trained after it";
}

TEST(OuterSyncTest, AnOuterStepThatIsNotDueGoesOnInAnotherServer) {
  OuterOfAServer first(2, kOverlap), second(2, kOverlap);
  for (int i = 0; i < 2; ++i) first.Step(0, 1);
  EXPECT_TRUE(first.OnReply(0, 1, {6}, 0));
  std::map<std::string, std::vector<float>> state;
  for (const GroupSync::Kept& kept : first.sync->StateOf(0))
    state[kept.name].assign(kept.floats.begin(), kept.floats.end());
  ASSERT_EQ(state["outer/group2/a/0-1/step"], std::vector<float>{6});
  second.sync->Restore(state);
  second.shard.Put(0, 2, 0, std::vector<float>{10});
  second.sync->Start(0);
  for (OuterOfAServer* one : {&first, &second}) {
    one->Step(0, 2);
    EXPECT_EQ(one->sync->Model(0)[0], 16);
    EXPECT_EQ(one->value(0), 0.25f * 14 + 0.75f * 16);
  }
}

TEST(OuterSyncTest, AJobThatResumesWithoutOverlapTakesAnOuterStepAtItsNextStep) {
  OuterOfAServer server(2);
  server.sync->Restore({{"outer/group2/a/0-1/values", {12}},
                        {"outer/group2/a/0-1/step", {6}},
                        {"outer/group2/a/0-1/count", {0, 2}}});
  server.shard.Put(0, 2, 0, std::vector<float>{10});
  server.sync->Start(0);
  server.Step(0, 2);
  EXPECT_EQ(server.sync->Model(0)[0], 16);
  EXPECT_EQ(server.value(0), 0.5f * 14 + 0.5f * 16);
  EXPECT_EQ(server.sync->StateOf(0).size(), 2u) << "values and count";
}

TEST(OuterSyncTest, ChangesAndOuterStepsAreEncoded) {
  const std::string settings = "outer_lr: 1 outer_momentum: 0 outer_compression: kInt8";
  OuterOfAServer server(2, settings), master(0, settings);
  for (OuterOfAServer* one : {&server, &master})
    for (const float change : {1.f, 2.f}) one->Step(0, change);
  for (const int group : {1, 2}) EXPECT_TRUE(master.OnSync(0, 1, {3}, group, group));
  for (OuterOfAServer* one : {&server, &master}) {
    one->out.Flush();
    const Message& message = one->sent.messages.at(0);
    EXPECT_EQ(message.head.part(0).elements(), 1u);
    std::optional<Frame> floats = Decode(one->sync->codec(), message.payload.at(0), 1);
    ASSERT_TRUE(floats);
    EXPECT_FLOAT_EQ(FloatsOf(*floats)[0], 3);
    EXPECT_EQ(message.payload[0].size(), 5u) << "a scale and an integer";
  }
}

TEST(OuterSyncTest, ACodecsRestGoesOnInAnotherServer) {
  OuterOfAServer first(2, "outer_compression: kInt8"), second(2, "outer_compression: kInt8");
  std::map<std::string, std::vector<float>> state;
  for (const GroupSync::Kept& kept : first.sync->StateOf(0))
    state[kept.name].assign(kept.floats.begin(), kept.floats.end());
  ASSERT_EQ(state.count("outer/group2/a/0-1/rest"), 1u);
  state["outer/group2/a/0-1/rest"] = {4};
  second.sync->Restore(state);
  second.sync->Start(0);
  for (const float change : {1.f, 2.f}) second.Step(0, change);
  second.out.Flush();
  const Frame& bytes = second.sent.messages.at(0).payload.at(0);
  EXPECT_FLOAT_EQ(FloatsOf(Decode(second.sync->codec(), bytes, 1).value())[0], 7);
}

}  // namespace
}  // namespace singa
