// Tests when a server exchanges a slice with other server groups, in whichever way.
#include "cluster/server/group_sync.h"

#include <gtest/gtest.h>

#include "support/cluster/sync_of_a_server.h"

namespace singa {
namespace {

TEST(GroupSyncTest, AnExchangeBeginsAfterSyncFreqUpdates) {
  SyncOfAServer server("kMaster", 2);
  server.Update(0, 1);
  EXPECT_EQ(server.Sent(), "");
  EXPECT_FALSE(server.sync->exchanging());
  server.Update(0, 2);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #1 of 2+0 3;");
  EXPECT_TRUE(server.sync->exchanging());
}

TEST(GroupSyncTest, ASliceHasOneExchangeInFlight) {
  SyncOfAServer server("kMaster", 2);
  server.UpdateTwice(0, 1);
  server.Sent();
  server.UpdateTwice(0, 5);
  EXPECT_EQ(server.Sent(), "");
  EXPECT_TRUE(server.OnReply(0, 1, {11}, 0));
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #2 of 2+0 5;");
}

TEST(GroupSyncTest, AnExchangeThatIsAskedForFollowsTheOneInFlight) {
  SyncOfAServer server("kMaster", 2);
  server.sync->Exchange(0);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #1 of 2+0 0;");
  server.sync->Exchange(0);
  EXPECT_EQ(server.Sent(), "");
  EXPECT_TRUE(server.OnReply(0, 1, {10}, 0));
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #2 of 2+0 0;");
  EXPECT_TRUE(server.OnReply(0, 2, {10}, 0));
  EXPECT_FALSE(server.sync->exchanging());
}

TEST(GroupSyncTest, SlicesHaveExchangesOfTheirOwn) {
  SyncOfAServer server("kMaster", 2);
  server.UpdateTwice(0, 1);
  server.UpdateTwice(1, 5);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #1 of 2+0 1;kSync->1 slice 1 #1 of 2+0 5;");
  EXPECT_TRUE(server.OnReply(0, 1, {11}, 0));
  EXPECT_TRUE(server.sync->exchanging());
  EXPECT_TRUE(server.OnReply(1, 1, {15}, 1));
  EXPECT_FALSE(server.sync->exchanging());
}

TEST(GroupSyncTest, UpdatesCountFromTheBeginOfAnExchange) {
  SyncOfAServer server("kMaster", 2);
  server.UpdateTwice(0, 1);
  server.Update(0, 5);
  server.Sent();
  EXPECT_TRUE(server.OnReply(0, 1, {11}, 0));
  EXPECT_EQ(server.Sent(), "") << "one update is not enough";
  server.Update(0, 0);
  EXPECT_EQ(server.Sent(), "kSync->0 slice 0 #2 of 2+0 5;");
}

}  // namespace
}  // namespace singa
