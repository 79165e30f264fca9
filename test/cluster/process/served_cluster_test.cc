// Tests a process's servers and clients: the values that they begin with and end with, and messages
// to other processes.
#include "cluster/process/served_cluster.h"

#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/cluster/served_process.h"

namespace singa {
namespace {

constexpr char kTwoGroups[] = "nworker_groups: 2 share_memory: false";
constexpr char kOneWorker[] = "nworkers_per_group: 1 share_memory: false";

TEST(ServedClusterTest, FillsAllGroupsAndGathersTheModel) {
  for (const char* cluster : {kOneWorker, kTwoGroups, "nserver_groups: 2 nworker_groups: 2"}) {
    ServedProcess process(cluster);
    process.Connect(std::vector<int64_t>(process.topology.worker_groups(), 3));
    process.Fill({1, 2}, {3, 4, 5});
    for (int group = 0; group < process.topology.worker_groups(); ++group) {
      EXPECT_EQ(process.ValuesOf(group, 0), (std::vector<float>{1, 2})) << cluster;
      EXPECT_EQ(process.ValuesOf(group, 1), (std::vector<float>{3, 4, 5})) << cluster;
    }
    const std::vector<SliceState> model = process.cluster.Gather(
        process.cluster.VersionsAt(std::vector<int64_t>(process.topology.worker_groups(), 3)));
    ASSERT_EQ(model.size(), 2u);
    EXPECT_EQ(model[1].floats, (std::vector<float>{3, 4, 5})) << cluster;
    EXPECT_EQ(model[1].version, 3) << cluster;
  }
}

TEST(ServedClusterTest, VersionsCountTheStepsOfAServerGroupsWorkers) {
  ServedProcess together(kTwoGroups);
  together.Connect({4, 6});
  EXPECT_EQ(together.cluster.VersionsAt({4, 6}), std::vector<int64_t>{4});
  EXPECT_EQ(together.cluster.VersionsAt({7, 8}), std::vector<int64_t>{4 + 3 + 2});
  ServedProcess apart("nserver_groups: 2 nworker_groups: 2");
  apart.Connect({4, 6});
  EXPECT_EQ(apart.cluster.VersionsAt({7, 8}), (std::vector<int64_t>{4 + 3, 4 + 2}));
}

// With one worker group, servers use the values of its params.
TEST(ServedClusterTest, CountsTheBytesOfItsServers) {
  EXPECT_EQ(ServedProcess(kOneWorker).cluster.bytes(100, 2), 200);
  EXPECT_EQ(ServedProcess(kTwoGroups).cluster.bytes(100, 2), 300);
  EXPECT_EQ(ServedProcess("nserver_groups: 2 nworker_groups: 2").cluster.bytes(100, 0), 300)
      << "values, and what was last sent of the slices that have their masters elsewhere";
  EXPECT_EQ(
      ServedProcess("nserver_groups: 2 nworker_groups: 2 group_sync: kOuter").cluster.bytes(100, 0),
      700)
      << "values and models; at the masters momentum and two changes";
  EXPECT_EQ(ServedProcess("nserver_groups: 2 nworker_groups: 2 group_sync: kOuter "
                          "outer_compression: kInt8")
                .cluster.bytes(100, 0),
            900)
      << "and what rounding left out";
  EXPECT_EQ(ServedProcess("nserver_groups: 2 nworker_groups: 2 group_sync: kOuter sync_freq: 2 "
                          "outer_overlap: 1")
                .cluster.bytes(100, 0),
            900)
      << "and outer steps that are not due";
}

int64_t MessageBytes(const std::string& cluster, int rank, const SliceTable& table) {
  const JobProto job = JobOf(kSumUpdater, "nworkers_per_group: 2 share_memory: false " + cluster);
  const ProgressDeadline deadline;
  return ServedCluster(job, Topology(job.cluster()), rank, nullptr, &deadline).message_bytes(table);
}

// Each process sends both slices. The server of a slice has the gradients of both processes, and
// the other process has an answer.
TEST(ServedClusterTest, CountsTheMessagesOfAStep) {
  const SliceTable table({Shape({100}), Shape({100})});
  EXPECT_EQ(MessageBytes("nservers_per_group: 2", 0, table), 4 * (200 + 2 * 100 + 100));
  EXPECT_EQ(MessageBytes("nservers_per_group: 2", 1, table), 4 * (200 + 2 * 100 + 100));
  EXPECT_EQ(MessageBytes("", 0, table), 4 * (200 + 2 * 200)) << "it has the only server";
  EXPECT_EQ(MessageBytes("", 1, table), 4 * (200 + 200));
  EXPECT_EQ(MessageBytes("nworkers_per_procs: 2", 0, table), 0) << "one process";
}

// Each worker computes a half alone, and its process has the server.
TEST(ServedClusterTest, CountsNoMessagesThatStayInAProcess) {
  const SliceTable table({Shape({100})}, {{.parts = 2, .contributors = 1}});
  EXPECT_EQ(MessageBytes("nservers_per_group: 2", 0, table), 0);
}

TEST(ServedClusterTest, AFailureEndsTheWaitsOfAllGroups) {
  ServedProcess process(kTwoGroups);
  process.Connect({0, 0});
  process.cluster.Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  for (const int group : {0, 1})
    EXPECT_THROW(process.cluster.updates(group).Check(), PeerError) << group;
  EXPECT_THROW(process.Fill({1, 2}, {3, 4, 5}), PeerError);
}

TEST(ServedClusterTest, AFailureBeforeItConnectsReachesItsServers) {
  ServedProcess process(kTwoGroups);
  process.cluster.Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  process.Connect({0, 0});
  EXPECT_THROW(process.cluster.Exchange({0}), PeerError);
}

// The servers of this job are in process 2.
TEST(ServedClusterTest, PostsMessagesToOtherProcesses) {
  const JobProto job = JobOf(kSumUpdater, "nworker_groups: 2 server_worker_separate: true");
  const Topology topology(job.cluster());
  const ProgressDeadline deadline;
  SentMessages sent;
  ServedCluster cluster(job, topology, 0, &sent, &deadline);
  EXPECT_TRUE(cluster.marks().empty());
  const SliceTable table{std::vector<Shape>{{2}}};
  Param param("a", "layer", "", ParamProto(), Shape({2}));
  std::vector<float> values(2);
  cluster.Connect(table, {&param}, {{0, 0}}, {{values.data()}}, nullptr);
  cluster.updates(0).Do([](Client& client) { client.GetAll(0); }, [](Client&) { return true; });
  ASSERT_EQ(sent.messages.size(), 1u);
  EXPECT_EQ(sent.messages[0].head.type(), WireMessage::kGet);
  EXPECT_EQ(ProcessOf(topology, sent.messages[0].head.to()), 2);
}

}  // namespace
}  // namespace singa
