#include "driver/job/core_share.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Returns the shares of all processes, such as "0-1 2-3"; "": they have none.
std::string Shares(const std::string& cluster, int threads, int cores) {
  ClusterProto conf;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(cluster, &conf)) << cluster;
  const Topology topology(conf);
  std::string text;
  for (int rank = 0; rank < topology.processes(); ++rank) {
    const auto share = ShareOfCores(topology, rank, threads, cores);
    if (!share) return "";
    text += StrCat(rank > 0 ? " " : "", share->first, "-", share->first + share->count - 1);
  }
  return text;
}

TEST(ShareOfCores, WorkersThatUseAllCoresHaveTheirOwn) {
  EXPECT_EQ(Shares("nworkers_per_group: 2", 1, 2), "0-0 1-1");
  EXPECT_EQ(Shares("nworkers_per_group: 2", 4, 8), "0-3 4-7");
  EXPECT_EQ(Shares("nworkers_per_group: 4 nworkers_per_procs: 2", 3, 12), "0-5 6-11");
  EXPECT_EQ(Shares("nworker_groups: 2 nserver_groups: 2", 1, 2), "0-0 1-1");
}

TEST(ShareOfCores, AFreeCoreIsForAll) {
  EXPECT_EQ(Shares("nworkers_per_group: 2", 1, 3), "");
  EXPECT_EQ(Shares("nworkers_per_group: 2", 3, 8), "");
}

TEST(ShareOfCores, WorkersThatCompeteForCoresMayMove) {
  EXPECT_EQ(Shares("nworkers_per_group: 3", 1, 2), "");
  EXPECT_EQ(Shares("nworkers_per_group: 2", 2, 2), "");
}

TEST(ShareOfCores, OneProcessMayUseAllCores) {
  EXPECT_EQ(Shares("nworkers_per_group: 2 nworkers_per_procs: 2", 1, 2), "");
}

TEST(ShareOfCores, ProcessesWithOnlyServersCompeteToo) {
  EXPECT_EQ(Shares("nworkers_per_group: 2 server_worker_separate: true", 1, 2), "");
}

}  // namespace
}  // namespace singa
