// Tests the three ways in which a server exchanges its slices with other server groups.
#include <gtest/gtest.h>

#include "cluster/server/group_sync_models.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

// This is the server of group `group` of three. It has two slices of one float, 10 at first. Slice
// 0 has its master in group 0, slice 1 in group 1.
struct SyncOfAServer {
  SyncOfAServer(const std::string& model, int group, int groups = 3)
      : job(JobOf(kSumUpdater,
                  StrCat("nworker_groups: ", groups, " nserver_groups: ", groups,
                         " sync_freq: 2 group_sync: ", model, " elastic_alpha: 0.25"))),
        out(ServerAddress({group, 0}), SliceTable::kMost, &sent),
        sync(MakeGroupSync({job.cluster(), topology, owners, {group, 0}, &shard, &out})) {
    for (const int slice : {0, 1}) {
      shard.Put(slice, 0, 0, std::vector<float>{10});
      if (sync) sync->Start(slice);
    }
  }
  // Does an update that adds `change`.
  void Update(int slice, float change) {
    shard.values(slice)[0] += change;
    sync->Updated(slice);
  }
  // Does two updates, after which an exchange begins. They add `change`.
  void UpdateTwice(int slice, float change) {
    Update(slice, change);
    Update(slice, 0);
  }
  bool OnSync(int slice, int64_t number, std::vector<float> floats, int from, int origin,
              int hops = 0) {
    const SlicePart head = Part(number, floats);
    return sync->OnSync({slice, &head, FrameOf(std::move(floats))}, from, origin, hops);
  }
  bool OnReply(int slice, int64_t number, std::vector<float> floats, int from) {
    const SlicePart head = Part(number, floats);
    return sync->OnReply({slice, &head, FrameOf(std::move(floats))}, from);
  }
  // Returns what was sent since the last call: type, receiving group, slice, number of the
  // exchange, its origin and hops, and floats.
  std::string Sent() {
    out.Flush();
    std::string text;
    for (const Message& message : std::exchange(sent.messages, {})) {
      const WireMessage& head = message.head;
      text += StrCat(WireMessage::Type_Name(head.type()), "->", head.to().group(), " slice ",
                     head.part(0).slice(), " #", head.part(0).version(), " of ", head.group(), "+",
                     head.hops());
      for (const Frame& frame : message.payload) text += StrCat(" ", FloatsOf(frame)[0]);
      text += ";";
    }
    return text;
  }
  float value(int slice) { return shard.values(slice)[0]; }

  const JobProto job;
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}};
  const SliceTable table{{{1}, {1}}};
  const Topology topology{job.cluster()};
  const UpdateRule rule{job};
  const SliceOwners owners{topology, table};
  ParamShard shard{table, params, rule, owners.Of(0)};
  SentMessages sent;
  Outgoing out;
  const std::unique_ptr<GroupSync> sync;

 private:
  static SlicePart Part(int64_t number, const std::vector<float>& floats) {
    SlicePart part;
    part.set_version(number);
    part.set_elements(static_cast<uint32_t>(floats.size()));
    return part;
  }
};

TEST(GroupSyncTest, OneServerGroupExchangesNothing) {
  EXPECT_EQ(SyncOfAServer("kMaster", 0, 1).sync, nullptr);
}

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
