// Tests the options of a stub, which follow from the job's conf and the place of its process.
#include "cluster/process/stub_options.h"

#include <gtest/gtest.h>

#include <optional>

#include "comm/collective/slice_table.h"
#include "singa/base/error.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

ClusterProto ClusterWith(const std::string& text) {
  return JobOf(kSumUpdater, "nworkers_per_group: 2 " + text).cluster();
}

ZmqOptions OptionsOf(const std::string& cluster, const ProcessPlace& place, int copies = 1) {
  const ClusterProto conf = ClusterWith(cluster);
  return TransportOptions(conf, Topology(conf), place, copies);
}

const Endpoint kCoordinator = {"127.0.0.1", 4242};

ProcessPlace PlaceOfRank(int rank, std::optional<Endpoint> coordinator = kCoordinator) {
  ProcessPlace place;
  place.rank = rank;
  place.coordinator = std::move(coordinator);
  return place;
}

TEST(StubOptionsTest, AProcessIsNamedByItsRoles) {
  const Topology topology(ClusterWith("nworker_groups: 2 nserver_groups: 2"));
  EXPECT_EQ(ProcessName(topology, 1, "127.0.0.1:4242"),
            "process 1 (127.0.0.1:4242; worker 1 of group 0, server 0 of group 1)");
  EXPECT_EQ(ProcessName(topology, 2, ""), "process 2 (worker 0 of group 1)");
}

TEST(StubOptionsTest, ANameOfManyRolesEndsBehindOneOfThem) {
  const Topology topology(
      JobOf(kSumUpdater, "nworkers_per_group: 64 nworkers_per_procs: 64").cluster());
  const std::string name = ProcessName(topology, 0, "");
  EXPECT_EQ(name.rfind("process 0 (worker 0 of group 0, worker 1 of group 0, ", 0), 0u);
  EXPECT_LT(name.size(), 230u);
  EXPECT_TRUE(name.ends_with(" of group 0, ...)")) << name;
}

TEST(StubOptionsTest, EachStartOfAProcessIsAnotherIncarnation) {
  ProcessPlace place = PlaceOfRank(1);
  place.secrets = JobSecrets::Make(2).ForRank(1);
  const ProcessIdentity one = IdentityOf(place, 2), again = IdentityOf(place, 2);
  EXPECT_EQ(one.job, place.secrets.job);
  EXPECT_EQ(one.rank, 1);
  EXPECT_EQ(one.ranks, 2);
  EXPECT_NE(one.incarnation, 0u);
  EXPECT_NE(one.incarnation, again.incarnation);
}

TEST(StubOptionsTest, RankZeroListensOnAFreePortOfLoopbackOrWhereItIsTold) {
  EXPECT_EQ(OptionsOf("", PlaceOfRank(0, {})).bind, (Endpoint{"127.0.0.1", 0}));
  EXPECT_EQ(OptionsOf("", PlaceOfRank(0)).bind, kCoordinator);
}

TEST(StubOptionsTest, OthersListenWhereTheyReachRankZero) {
  const ZmqOptions options = OptionsOf("", PlaceOfRank(1));
  EXPECT_EQ(options.rank, 1);
  EXPECT_EQ(options.processes, 2);
  EXPECT_EQ(options.bind, (Endpoint{"127.0.0.1", 0}));
  EXPECT_EQ(options.advertise, "");
}

TEST(StubOptionsTest, AProcessThatListensEverywhereTellsItsAddress) {
  const ZmqOptions options = OptionsOf("bind: '*'", PlaceOfRank(1));
  EXPECT_TRUE(IsWildcard(options.bind));
  EXPECT_EQ(options.advertise, "127.0.0.1");
}

TEST(StubOptionsTest, AnAddressThatIsNoneIsAnErrorOfTheConf) {
  try {
    OptionsOf("bind: 'no-such-host.invalid'", PlaceOfRank(1));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitConfig);
    EXPECT_NE(std::string(error.what()).find("no-such-host.invalid"), std::string::npos);
  }
}

TEST(StubOptionsTest, PacketsAreEncryptedUnlessTheConfSaysOtherwise) {
  EXPECT_EQ(OptionsOf("", PlaceOfRank(0, {})).security, Security::kAuto);
  EXPECT_EQ(OptionsOf("insecure: true", PlaceOfRank(0, {})).security, Security::kInsecure);
}

TEST(StubOptionsTest, TheLargestSliceWithItsStatesFitsIntoAFrameAndAMessage) {
  constexpr int kCopies = 200;
  const int64_t bytes = SliceTable::kMost * kCopies * static_cast<int64_t>(sizeof(float));
  EXPECT_GT(OptionsOf("", PlaceOfRank(0, {}), kCopies).settings.max_frame_bytes, bytes);
  EXPECT_GE(static_cast<int64_t>(OptionsOfChannel(ClusterWith(""), kCopies).limits.payload_bytes),
            bytes);
}

TEST(StubOptionsTest, SmallSlicesLeaveTheLimitOfAMessage) {
  EXPECT_EQ(OptionsOfChannel(ClusterWith(""), 1).limits.payload_bytes,
            ChannelOptions().limits.payload_bytes);
}

TEST(StubOptionsTest, APeerIsGivenUpAfterItsTimeout) {
  EXPECT_EQ(OptionsOfChannel(ClusterWith("peer_timeout: 7"), 1).give_up, 7 * kSecond);
}

// Three workers of a process may have two nodes of their group's tree.
TEST(StubOptionsTest, APartHasStatesOrTheSumsOfNodes) {
  const Topology topology(
      JobOf(kSumUpdater, "nworkers_per_group: 9 nworkers_per_procs: 3").cluster());
  EXPECT_EQ(topology.most_nodes(), 2);
  EXPECT_EQ(MostCopies(topology, 0), 2);
  EXPECT_EQ(MostCopies(topology, 2), 3);
}

}  // namespace
}  // namespace singa
