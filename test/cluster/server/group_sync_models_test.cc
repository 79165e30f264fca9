// Tests the three ways in which a server exchanges its slices with other server groups.
// group_sync_test.cc tests what they have in common.
#include "cluster/server/group_sync_models.h"

#include <gtest/gtest.h>

#include "support/cluster/sync_of_a_server.h"

namespace singa {
namespace {

TEST(GroupSyncTest, OneServerGroupExchangesNothing) {
  EXPECT_EQ(SyncOfAServer("kMaster", 0, 1).sync, nullptr);
}

TEST(MasterSyncTest, TheMastersOwnUpdatesAreNotSent) {
  SyncOfAServer master("kMaster", 0);
  master.UpdateTwice(0, 1);
  EXPECT_EQ(master.Sent(), "");
  EXPECT_FALSE(master.sync->exchanging());
  EXPECT_EQ(master.value(0), 11);
}

TEST(MasterSyncTest, TheMasterAddsAChangeAndAnswersWithItsValues) {
  SyncOfAServer master("kMaster", 0);
  master.Update(0, 1);
  EXPECT_TRUE(master.OnSync(0, 1, {-4}, 2, 2));
  EXPECT_EQ(master.value(0), 7);
  EXPECT_EQ(master.Sent(), "kSyncReply->2 slice 0 #1 of 0+0 7;");
}

TEST(MasterSyncTest, AnAnswerKeepsTheUpdatesSinceTheSending) {
  SyncOfAServer server("kMaster", 2);
  server.UpdateTwice(0, 1);
  server.Sent();
  server.Update(0, 0.5);
  EXPECT_TRUE(server.OnReply(0, 1, {20}, 0));
  EXPECT_EQ(server.value(0), 20.5);
  server.Update(0, 0);  // they are in the next exchange, once
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #2 of 2+0 0.5;");
}

TEST(MasterSyncTest, TheMasterRefusesExchangesThatCannotBe) {
  SyncOfAServer master("kMaster", 0);
  EXPECT_FALSE(master.OnSync(0, 1, {1}, 1, -1)) << "no group";
  EXPECT_FALSE(master.OnSync(0, 1, {1}, 3, 3)) << "no such group";
  EXPECT_FALSE(master.OnSync(0, 1, {1}, 0, 0)) << "its own";
  EXPECT_FALSE(master.OnSync(0, 1, {1}, 1, 2)) << "another's";
  EXPECT_FALSE(master.OnSync(0, 1, {1}, 2, 2, 1)) << "by way of another";
  EXPECT_FALSE(master.OnSync(0, 1, {1, 2}, 2, 2)) << "too many floats";
  EXPECT_FALSE(master.OnSync(0, 1, {}, 2, 2)) << "no floats";
  EXPECT_FALSE(master.OnSync(0, 2, {1}, 2, 2)) << "not the next one";
  EXPECT_FALSE(master.OnSync(1, 1, {1}, 2, 2)) << "a slice whose master is elsewhere";
  EXPECT_EQ(master.Sent(), "");
  EXPECT_EQ(master.value(0), 10);
  EXPECT_TRUE(master.OnSync(0, 1, {1}, 2, 2));
}

TEST(MasterSyncTest, AnExchangeCountsOnce) {
  SyncOfAServer master("kMaster", 0);
  EXPECT_TRUE(master.OnSync(0, 1, {1}, 2, 2));
  EXPECT_FALSE(master.OnSync(0, 1, {1}, 2, 2));
  EXPECT_TRUE(master.OnSync(0, 1, {1}, 1, 1));
  EXPECT_TRUE(master.OnSync(0, 2, {1}, 2, 2));
  EXPECT_EQ(master.value(0), 13);
}

TEST(MasterSyncTest, RefusesAnswersThatNobodyAwaits) {
  SyncOfAServer server("kMaster", 2);
  EXPECT_FALSE(server.OnReply(0, 0, {1}, 0)) << "no exchange";
  server.UpdateTwice(0, 1);
  EXPECT_FALSE(server.OnReply(0, 2, {1}, 0)) << "another exchange";
  EXPECT_FALSE(server.OnReply(0, 1, {1}, 1)) << "not the master";
  EXPECT_FALSE(server.OnReply(0, 1, {}, 0)) << "no floats";
  EXPECT_FALSE(server.OnReply(1, 1, {1}, 1)) << "another slice";
  EXPECT_EQ(server.value(0), 11);
  EXPECT_TRUE(server.OnReply(0, 1, {1}, 0));
  EXPECT_FALSE(server.OnReply(0, 1, {1}, 0)) << "twice";
}

TEST(RingSyncTest, AChangeGoesToTheNextGroup) {
  SyncOfAServer last("kRing", 2);
  last.UpdateTwice(1, 3);
  EXPECT_EQ(last.Sent(), "kSync->0 slice 1 #1 of 2+0 3;");
}

TEST(RingSyncTest, AChangeIsPassedOnWithoutTheGroupsOwn) {
  SyncOfAServer server("kRing", 0);
  server.Update(1, 1);
  EXPECT_TRUE(server.OnSync(1, 1, {3}, 2, 2));
  EXPECT_EQ(server.value(1), 14);
  EXPECT_EQ(server.Sent(), "kSync->1 slice 1 #1 of 2+1 3;");
  server.Update(1, 0);  // its own change alone
  EXPECT_EQ(server.Sent(), "kSync->1 slice 1 #1 of 0+0 1;");
}

TEST(RingSyncTest, TheLastGroupAnswersTheFirstWithoutFloats) {
  SyncOfAServer server("kRing", 1);
  EXPECT_TRUE(server.OnSync(1, 1, {3}, 0, 2, 1));
  EXPECT_EQ(server.value(1), 13);
  EXPECT_EQ(server.Sent(), "kSyncReply->2 slice 1 #1 of 0+0;");
}

TEST(RingSyncTest, AnAnswerEndsTheExchangeAndChangesNothing) {
  SyncOfAServer server("kRing", 2);
  server.UpdateTwice(1, 3);
  EXPECT_FALSE(server.OnReply(1, 1, {}, 0)) << "not the group before";
  EXPECT_FALSE(server.OnReply(1, 1, {3}, 1)) << "with floats";
  EXPECT_TRUE(server.sync->exchanging());
  EXPECT_TRUE(server.OnReply(1, 1, {}, 1));
  EXPECT_FALSE(server.sync->exchanging());
  EXPECT_EQ(server.value(1), 13);
}

TEST(RingSyncTest, RefusesChangesThatCameAnotherWay) {
  SyncOfAServer server("kRing", 1);
  EXPECT_FALSE(server.OnSync(1, 1, {3}, 2, 2, 1)) << "from the group behind";
  EXPECT_FALSE(server.OnSync(1, 1, {3}, 0, 2, 0)) << "too few hops";
  EXPECT_FALSE(server.OnSync(1, 1, {3}, 0, 0, 1)) << "too many hops";
  EXPECT_EQ(server.value(1), 10);
  EXPECT_EQ(server.Sent(), "");
}

TEST(ElasticSyncTest, SendsItsValues) {
  SyncOfAServer server("kElastic", 2);
  server.UpdateTwice(0, 2);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #1 of 2+0 12;");
}

TEST(ElasticSyncTest, TheCentreMovesByAPartOfTheDifferenceAndAnswersWithIt) {
  SyncOfAServer master("kElastic", 0);
  EXPECT_TRUE(master.OnSync(0, 1, {12}, 2, 2));
  EXPECT_EQ(master.Sent(), "kSyncReply->2 slice 0 #1 of 0+0 0.5;");
  EXPECT_EQ(master.sync->Model(0)[0], 10.5);
  EXPECT_EQ(master.value(0), 10);
}

TEST(ElasticSyncTest, AnAnswerIsTakenFromTheValues) {
  SyncOfAServer server("kElastic", 2);
  server.UpdateTwice(0, 2);
  server.Update(0, 1);
  EXPECT_TRUE(server.OnReply(0, 1, {0.5}, 0));
  EXPECT_EQ(server.value(0), 12.5);
}

TEST(ElasticSyncTest, TheMastersOwnGroupExchangesWithoutAMessage) {
  SyncOfAServer master("kElastic", 0);
  master.UpdateTwice(0, 2);
  EXPECT_EQ(master.Sent(), "");
  EXPECT_EQ(master.value(0), 11.5);
  EXPECT_EQ(master.sync->Model(0)[0], 10.5);
}

TEST(ElasticSyncTest, TheModelOfASliceOfAnotherMasterIsItsValues) {
  SyncOfAServer server("kElastic", 2);
  server.Update(0, 2);
  EXPECT_EQ(server.sync->Model(0)[0], 12);
}

// Further exchanges do not make replicas equal.
TEST(ElasticSyncTest, AnExchangeThatIsAskedForDoesNotBegin) {
  SyncOfAServer server("kElastic", 2);
  server.sync->Exchange(0);
  EXPECT_EQ(server.Sent(), "");
  EXPECT_FALSE(server.sync->exchanging());
}

}  // namespace
}  // namespace singa
