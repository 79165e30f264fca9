// Tests the places of workers and servers. The four frameworks of SINGA 0.3's documentation are
// placed as they were there, and impossible topologies are errors.
#include "cluster/protocol/topology.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "cluster/protocol/slice_owners.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

ClusterProto Conf(const std::string& text) {
  ClusterProto conf;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &conf)) << text;
  return conf;
}

// Returns `w<group>.<id>` and `s<group>.<id>` of each process. A | separates processes.
std::string Placed(const Topology& topology) {
  std::string text;
  for (int p = 0; p < topology.processes(); ++p) {
    if (p > 0) text += " |";
    for (const RoleId& w : topology.Workers(p)) text += StrCat(" w", w.group, ".", w.id);
    for (const RoleId& s : topology.Servers(p)) text += StrCat(" s", s.group, ".", s.id);
  }
  return text.substr(1);
}

struct Placement {
  const char *name, *conf, *placed;
};
void PrintTo(const Placement& one, std::ostream* out) { *out << one.conf; }
const Placement kPlacements[] = {
    {"Default", "", "w0.0 s0.0"},
    {"Sandblaster", "nworkers_per_group: 3 nservers_per_group: 2 server_worker_separate: true",
     "w0.0 | w0.1 | w0.2 | s0.0 | s0.1"},
    {"AllReduce", "nworkers_per_group: 3 nservers_per_group: 3",
     "w0.0 s0.0 | w0.1 s0.1 | w0.2 s0.2"},
    {"Downpour",
     "nworker_groups: 2 nworkers_per_group: 2 nservers_per_group: 2 server_worker_separate: true",
     "w0.0 | w0.1 | w1.0 | w1.1 | s0.0 | s0.1"},
    {"DistributedHogwild", "nworker_groups: 3 nserver_groups: 3",
     "w0.0 s0.0 | w1.0 s1.0 | w2.0 s2.0"},
    {"InMemorySandblaster", "nworkers_per_group: 2 nworkers_per_procs: 2", "w0.0 w0.1 s0.0"},
    {"InMemoryHogwild", "nworker_groups: 2 nworkers_per_procs: 2", "w0.0 w1.0 s0.0"},
    {"TwoProcessesAGroup", "nworker_groups: 2 nworkers_per_group: 4 nworkers_per_procs: 2",
     "w0.0 w0.1 s0.0 | w0.2 w0.3 | w1.0 w1.1 | w1.2 w1.3"},
    {"TwoGroupsAProcess", "nworker_groups: 4 nworkers_per_group: 2 nworkers_per_procs: 4",
     "w0.0 w0.1 w1.0 w1.1 s0.0 | w2.0 w2.1 w3.0 w3.1"},
    {"MoreServersThanWorkers", "nservers_per_group: 3", "w0.0 s0.0 | s0.1 | s0.2"},
    {"RoomForMore", "nworkers_per_procs: 2147483647 nservers_per_procs: 8 nservers_per_group: 3",
     "w0.0 s0.0 s0.1 s0.2"},
    {"NoServers", "nworkers_per_group: 2 all_reduce {}", "w0.0 | w0.1"},
};

class PlacedTest : public ::testing::TestWithParam<Placement> {};
INSTANTIATE_TEST_SUITE_P(Topology, PlacedTest, ::testing::ValuesIn(kPlacements),
                         [](const auto& one) { return one.param.name; });

TEST_P(PlacedTest, PutsRolesIntoProcesses) {
  EXPECT_EQ(Placed(Topology(Conf(GetParam().conf))), GetParam().placed);
}

TEST_P(PlacedTest, FindsTheProcessOfEachRole) {
  const Topology topology(Conf(GetParam().conf));
  for (int p = 0; p < topology.processes(); ++p) {
    for (const RoleId& w : topology.Workers(p)) {
      EXPECT_EQ(topology.ProcessOfWorker(w), p);
      EXPECT_TRUE(topology.ProcessesOf(w.group).Has(p));
    }
    for (const RoleId& s : topology.Servers(p)) EXPECT_EQ(topology.ProcessOfServer(s), p);
  }
  for (int g = 0; g < topology.worker_groups(); ++g) {
    int workers = 0;
    const Range processes = topology.ProcessesOf(g);
    for (int p = processes.first; p < processes.last; ++p) {
      EXPECT_GT(topology.WorkersIn(p, g), 0);
      workers += topology.WorkersIn(p, g);
    }
    EXPECT_EQ(workers, topology.workers_per_group());
  }
}

TEST(Topology, GivesEachServerGroupAsManyWorkerGroups) {
  const Topology topology(Conf("nworker_groups: 6 nserver_groups: 3"));
  EXPECT_EQ(topology.WorkerGroupsOf(1), (Range{2, 4}));
  for (int g = 0; g < 6; ++g) EXPECT_EQ(topology.ServerGroupOf(g), g / 2);
}

struct Refused {
  const char *conf, *path, *message;
};
const Refused kRefused[] = {
    {"nworker_groups: 0", "nworker_groups", "must be >= 1, is 0"},
    {"nworkers_per_group: -1", "nworkers_per_group", "must be >= 1, is -1"},
    {"nservers_per_procs: 0", "nservers_per_procs", "must be >= 1, is 0"},
    {"nserver_groups: 0", "nserver_groups", "must be >= 1, is 0"},
    {"nworker_groups: 3 nserver_groups: 2", "nserver_groups",
     "must divide nworker_groups, 3, is 2"},
    {"nworkers_per_group: 3 nworkers_per_procs: 2", "nworkers_per_procs",
     "must divide nworkers_per_group, 3, or be a multiple of it, is 2"},
    {"nworker_groups: 3 nworkers_per_group: 2 nworkers_per_procs: 4", "nworkers_per_procs",
     "must divide nworker_groups times nworkers_per_group, 6, is 4"},
    {"nworker_groups: 2147483647 nworkers_per_group: 2147483647", "nworker_groups",
     "times nworkers_per_group must be <= 4096, is 4611686014132420609"},
    {"nservers_per_group: 4097", "nserver_groups",
     "times nservers_per_group must be <= 4096, is 4097"},
    {"sync_freq: 0", "sync_freq", "must be >= 1, is 0"},
    {"max_staleness: -1", "max_staleness", "must be >= 0, is -1"},
    {"elastic_alpha: 1", "elastic_alpha", "must be in (0, 1), is 1"},
    {"elastic_alpha: nan", "elastic_alpha", "must be in (0, 1), is nan"},
};

TEST(Topology, RefusesWhatCannotBePlaced) {
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(refused.conf);
    try {
      const Topology topology(Conf(refused.conf));
      ADD_FAILURE() << "no error";
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.path(), refused.path);
      EXPECT_EQ(error.message(), refused.message);
    }
  }
}

TEST(Topology, AProcessAddsUpTheContributorsThatItHas) {
  const Topology topology(Conf("nworkers_per_group: 6 nworkers_per_procs: 3"));
  const Contributors odd = {1, 2, 3};  // workers 1, 3 and 5
  using Nodes = std::vector<std::vector<SumNode>>;
  EXPECT_EQ(topology.ProcessNodes(0, odd), (Nodes{{{0, 1}}, {{1, 2}, {2, 3}}}));
  EXPECT_EQ(topology.ProcessNodes(0, {4, 1, 1}), (Nodes{{}, {{0, 1}}}));
  EXPECT_EQ(topology.ProcessNodes(0), (Nodes{{{0, 2}, {2, 3}}, {{3, 4}, {4, 6}}}));
  EXPECT_EQ(topology.most_nodes(), 2);
}

TEST(SliceOwners, GiveServersAboutAsManyElements) {
  // The shapes are those of the MLP of examples/mnist and its biases.
  const SliceTable table({{784, 2500},
                          {2500},
                          {2500, 2000},
                          {2000},
                          {2000, 1500},
                          {1500},
                          {1500, 1000},
                          {1000},
                          {1000, 500},
                          {500},
                          {500, 10},
                          {10}});
  for (const int servers : {1, 2, 3, 4}) {
    const Topology topology(Conf(StrCat("nservers_per_group: ", servers)));
    const SliceOwners owners(topology, table);
    int next = 0;
    for (int s = 0; s < servers; ++s) {
      int64_t elements = 0;
      for (const int i : owners.Of(s)) {
        EXPECT_EQ(i, next++);
        elements += table[i].size;
        EXPECT_EQ(owners.Owner(i), s);
      }
      EXPECT_NEAR(static_cast<double>(elements) * servers / table.elements(), 1, 0.05);
    }
    EXPECT_EQ(next, table.size());
  }
}

}  // namespace
}  // namespace singa
