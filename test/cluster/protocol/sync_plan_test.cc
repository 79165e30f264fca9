// Tests how gradients become updates. There is one row for each kind of stanza, on one host and on
// several, with GPUs and without.
#include "cluster/protocol/sync_plan.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

JobProto PlannedJob(const std::string& stanza, int gpus) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(stanza, job.mutable_cluster()));
  for (int gpu = 0; gpu < gpus; ++gpu) job.add_gpu(gpu);
  return job;
}

const SyncFacts kOneHost = {};
const SyncFacts kHosts = {.one_host = false};
const SyncFacts kNoGroup = {.why_not_gpus = "workers share a GPU"};
const SyncFacts kNoGroupHosts = {.one_host = false, .why_not_gpus = "workers share a GPU"};
const SyncFacts kToldOfMemory = {.one_host = false, .told = SyncMode::kHostMemory};
const SyncFacts kMpiRun = {.why_mpi = "Open MPI has started the job"};
const SyncFacts kNoLibraryHosts = {.one_host = false, .why_not_mpi = "libmpi.so.40 is missing"};
const SyncFacts kMpiRunHosts = {.one_host = false, .why_mpi = "Open MPI has started the job"};
const SyncFacts kHere = {.in_one_process = true};

struct PlanRow {
  const char *name, *stanza;
  int gpus;
  SyncFacts facts;
  SyncMode mode;
  const char* why;
  int processes, servers;  // servers: of process 0
};
void PrintTo(const PlanRow& row, std::ostream* out) { *out << row.stanza << ", " << row.gpus; }

const PlanRow kPlanRows[] = {
    {"Default", "", 0, kOneHost, SyncMode::kAlone, "one worker", 1, 1},
    {"DefaultOnAGpu", "", 1, kOneHost, SyncMode::kAlone, "one worker", 1, 1},
    {"Threads", "nworkers_per_group: 2 nworkers_per_procs: 2", 0, kOneHost, SyncMode::kThreads,
     "one process", 1, 1},
    {"ThreadsOnGpus", "nworkers_per_group: 2 nworkers_per_procs: 2", 2, kOneHost,
     SyncMode::kAllReduce, "if each worker has a GPU of its own", 1, 1},
    {"ThreadsOnOneGpu", "nworkers_per_group: 2 nworkers_per_procs: 2", 2, kNoGroup,
     SyncMode::kThreads, "workers share a GPU", 1, 1},
    {"Hogwild", "nworker_groups: 2 nworkers_per_procs: 2", 0, kOneHost, SyncMode::kThreads,
     "one process", 1, 1},
    {"HogwildOnGpus", "nworker_groups: 2 nworkers_per_procs: 2", 2, kOneHost, SyncMode::kThreads,
     "one process", 1, 1},
    {"ServersHere", "nworkers_per_group: 2 nworkers_per_procs: 2 share_memory: false", 0, kOneHost,
     SyncMode::kServers, "cluster.share_memory is false", 1, 1},
    {"ServersHereOnGpus", "nworkers_per_group: 2 nworkers_per_procs: 2 share_memory: false", 2,
     kOneHost, SyncMode::kServers, "cluster.share_memory is false", 1, 1},
    {"RingHere", "nworker_groups: 2 nworkers_per_procs: 2 nserver_groups: 2 nservers_per_procs: 2",
     0, kOneHost, SyncMode::kServers, "cluster.nserver_groups is 2", 1, 2},
    {"ModelHere", "nworker_groups: 2 nworkers_per_procs: 2 user_consistency: 'kSynchronous'", 0,
     kOneHost, SyncMode::kServers, "cluster.user_consistency is set", 1, 1},
    {"AllReduceHere", "nworkers_per_group: 2 nworkers_per_procs: 2 all_reduce {}", 0, kOneHost,
     SyncMode::kThreads, "one process", 1, 0},
    {"AllReduceHereOnGpus", "nworkers_per_group: 2 nworkers_per_procs: 2 all_reduce {}", 2,
     kOneHost, SyncMode::kAllReduce, "if each worker has a GPU of its own", 1, 0},
    {"Processes", "nworkers_per_group: 2", 0, kOneHost, SyncMode::kHostMemory,
     "one group on one host", 2, 1},
    {"ProcessesOnGpus", "nworkers_per_group: 2", 1, kOneHost, SyncMode::kAllReduce,
     "if each worker has a GPU of its own", 2, 1},
    {"ProcessesOnOneGpu", "nworkers_per_group: 2", 1, kNoGroup, SyncMode::kHostMemory,
     "workers share a GPU", 2, 1},
    {"ProcessesOfHosts", "nworkers_per_group: 2", 0, kHosts, SyncMode::kServers, "several hosts", 2,
     1},
    {"ProcessesOfHostsOnGpus", "nworkers_per_group: 2", 1, kHosts, SyncMode::kServers,
     "several hosts", 2, 1},
    {"Apart", "nworkers_per_group: 2 share_memory: false", 0, kOneHost, SyncMode::kServers,
     "cluster.share_memory is false", 2, 1},
    {"ApartOnGpus", "nworkers_per_group: 2 share_memory: false", 1, kOneHost, SyncMode::kServers,
     "cluster.share_memory is false", 2, 1},
    {"AllReduce", "nworkers_per_group: 2 all_reduce {}", 0, kOneHost, SyncMode::kHostMemory,
     "one group on one host", 2, 1},
    {"AllReduceOfHosts", "nworkers_per_group: 2 all_reduce {}", 0, kHosts, SyncMode::kServers,
     "cluster.all_reduce without GPUs", 2, 1},
    {"AllReduceOfHostsOnGpus", "nworkers_per_group: 2 all_reduce {}", 1, kHosts,
     SyncMode::kAllReduce, "if each worker has a GPU of its own", 2, 1},
    {"AllReduceOfHostsOnOneGpu", "nworkers_per_group: 2 all_reduce {}", 1, kNoGroupHosts,
     SyncMode::kServers, "workers share a GPU", 2, 1},
    {"AllReduceOfGroups", "nworker_groups: 2 nworkers_per_group: 2 all_reduce {}", 0, kOneHost,
     SyncMode::kServers, "several worker groups", 4, 1},
    {"AllReduceOfGroupsOnGpus", "nworker_groups: 2 nworkers_per_group: 2 all_reduce {}", 1,
     kOneHost, SyncMode::kServers, "several worker groups", 4, 1},
    {"Mpi", "nworkers_per_group: 2 all_reduce { backend: kMpi }", 0, kOneHost, SyncMode::kRankSums,
     "cluster.all_reduce.backend is kMpi", 2, 1},
    {"MpiRunOfHosts", "nworkers_per_group: 2 all_reduce {}", 0, kMpiRunHosts, SyncMode::kRankSums,
     "Open MPI has started the job", 2, 1},
    {"MpiRunWithoutItsLibrary", "nworkers_per_group: 2 all_reduce {}", 0, kNoLibraryHosts,
     SyncMode::kServers, "not by MPI: libmpi.so.40 is missing", 2, 1},
    {"MpiRunOfHostsToServers", "nworkers_per_group: 2 all_reduce { backend: kServers }", 0,
     kMpiRunHosts, SyncMode::kServers, "cluster.all_reduce.backend is kServers", 2, 1},
    {"MpiRunOfHostsWithoutAllReduce", "nworkers_per_group: 2", 0, kMpiRunHosts, SyncMode::kServers,
     "several hosts", 2, 1},
    {"MpiRunOfOneHost", "nworkers_per_group: 2 all_reduce {}", 0, kMpiRun, SyncMode::kHostMemory,
     "one group on one host", 2, 1},
    {"MpiRunOfHostsOnGpus", "nworkers_per_group: 2 all_reduce {}", 1, kMpiRunHosts,
     SyncMode::kAllReduce, "if each worker has a GPU of its own", 2, 1},
    {"Memory", "nworkers_per_group: 2 all_reduce { backend: kMemory }", 1, kOneHost,
     SyncMode::kHostMemory, "one group on one host", 2, 1},
    {"ServersOfOneHost", "nworkers_per_group: 2 all_reduce { backend: kServers }", 1, kOneHost,
     SyncMode::kServers, "cluster.all_reduce.backend is kServers", 2, 1},
    {"ServersOfOneProcess",
     "nworkers_per_group: 2 nworkers_per_procs: 2 all_reduce { backend: kServers }", 0, kOneHost,
     SyncMode::kServers, "cluster.all_reduce.backend is kServers", 1, 1},
    {"NcclWithoutGroup", "nworkers_per_group: 2 all_reduce { backend: kNccl }", 1, kNoGroup,
     SyncMode::kHostMemory, "workers share a GPU", 2, 1},
    {"PowerSgd", "nworkers_per_group: 2 all_reduce { compression: kPowerSGD }", 0, kHosts,
     SyncMode::kRankSums, "cluster.all_reduce.compression is kPowerSGD", 2, 1},
    {"Partial", "nworkers_per_group: 2 all_reduce { compression: kPartial }", 0, kHosts,
     SyncMode::kRankSums, "cluster.all_reduce.compression is kPartial", 2, 1},
    {"PartialOfGroups",
     "nworker_groups: 2 nworkers_per_group: 2 all_reduce { compression: kPartial }", 0, kOneHost,
     SyncMode::kServers, "several worker groups", 4, 1},
    {"ServersAlone", "nworkers_per_group: 2 server_worker_separate: true", 0, kOneHost,
     SyncMode::kServers, "some processes have only servers", 3, 0},
    {"Downpour", "nworker_groups: 2", 0, kOneHost, SyncMode::kServers, "several worker groups", 2,
     1},
    {"DownpourApart", "nworker_groups: 2 share_memory: false", 0, kOneHost, SyncMode::kServers,
     "several worker groups", 2, 1},
    {"ProcessesHere", "nworkers_per_group: 2", 0, kHere, SyncMode::kThreads, "one process", 1, 1},
    {"AllReduceProcessesHere", "nworkers_per_group: 2 all_reduce {}", 0, kHere, SyncMode::kThreads,
     "one process", 1, 0},
    {"ToldOfMemory", "nworkers_per_group: 2", 0, kToldOfMemory, SyncMode::kHostMemory,
     "process 0 says so", 2, 1},
    {"DownpourHere", "nworker_groups: 2", 0, kHere, SyncMode::kThreads, "one process", 1, 1},
    {"ServersAloneHere", "nworkers_per_group: 2 server_worker_separate: true", 0, kHere,
     SyncMode::kThreads, "one process", 1, 1},
};

class SyncPlanTest : public ::testing::TestWithParam<PlanRow> {};
INSTANTIATE_TEST_SUITE_P(Stanzas, SyncPlanTest, ::testing::ValuesIn(kPlanRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(SyncPlanTest, NamesAModeAndItsReason) {
  const PlanRow& row = GetParam();
  const SyncPlan plan = PlanSync(PlannedJob(row.stanza, row.gpus), row.facts);
  EXPECT_STREQ(ToString(plan.mode), ToString(row.mode));
  EXPECT_EQ(plan.why, row.why);
  EXPECT_EQ(plan.topology.processes(), row.processes);
  EXPECT_EQ(std::ssize(plan.topology.Servers(0)), row.servers);
}

TEST(SyncPlan, GivesGpusInTurnToTheWorkersOfAHost) {
  const JobProto job = PlannedJob("nworkers_per_group: 6 nworkers_per_procs: 2", 4);
  EXPECT_EQ(PlanSync(job).gpus, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(PlanSync(job, {.processes_before = 1}).gpus, (std::vector<int>{2, 3}));
  EXPECT_EQ(PlanSync(job, {.processes_before = 2}).gpus, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(PlanSync(PlannedJob("", 0), {.processes_before = 3}).gpus.empty());
}

// Returns the error of the plan; "": there is none.
std::string ErrorOf(const std::string& all_reduce, const SyncFacts& facts,
                    const std::string& cluster = "nworkers_per_group: 2") {
  try {
    PlanSync(PlannedJob(StrCat(cluster, " all_reduce { ", all_reduce, " }"), 0), facts);
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "cluster.all_reduce.backend");
    return error.message();
  }
  return "";
}

TEST(SyncPlan, ABackendThatCannotAddUpIsAnError) {
  EXPECT_EQ(ErrorOf("backend: kMemory", kHosts),
            "kMemory needs all processes on one host; they are on several: leave backend out");
  EXPECT_EQ(ErrorOf("backend: kMemory", {.one_host = false, .rank = 1}), "")
      << "only rank 0 knows where all are";
  EXPECT_EQ(ErrorOf("backend: kMemory", kOneHost, "nworkers_per_group: 2 share_memory: false"),
            "kMemory needs share_memory: true; it is false");
  EXPECT_EQ(ErrorOf("backend: kMemory", kOneHost, "nworker_groups: 2"),
            "kMemory needs one worker group; nworker_groups is 2");
  EXPECT_EQ(ErrorOf("backend: kNccl", kOneHost),
            "kNccl needs a GPU for each worker, and `gpu` names none");
  EXPECT_EQ(ErrorOf("backend: kMpi", kOneHost, "nworker_groups: 3"),
            "kMpi needs one worker group; nworker_groups is 3");
  EXPECT_EQ(ErrorOf("backend: kServers compression: kPartial", kHosts),
            "kServers does not support kPartial: leave backend out");
  EXPECT_EQ(ErrorOf("backend: kServers compression: kPowerSGD", {},
                    "nworkers_per_group: 2 nworkers_per_procs: 2"),
            "kServers does not support kPowerSGD: leave backend out");
  EXPECT_EQ(ErrorOf("backend: kServers compression: kFp16", kHosts), "");
}

TEST(SyncPlan, OnlyMpiSaysSo) {
  const std::string stanza = "nworkers_per_group: 2 all_reduce { compression: kPartial }";
  EXPECT_FALSE(PlanSync(PlannedJob(stanza, 0), kHosts).by_mpi);
  EXPECT_EQ(TextOf(PlanSync(PlannedJob(stanza, 0), kHosts)),
            "messages between processes (cluster.all_reduce.compression is kPartial)");
  EXPECT_TRUE(PlanSync(PlannedJob(stanza, 0), kMpiRunHosts).by_mpi);
  EXPECT_EQ(TextOf(PlanSync(PlannedJob(stanza, 0), kMpiRunHosts)),
            "MPI (Open MPI has started the job)");
  SyncFacts told = kMpiRunHosts;
  told.told = SyncMode::kHostMemory;
  EXPECT_FALSE(PlanSync(PlannedJob(stanza, 0), told).by_mpi) << "rank 0 knows better";
}

TEST(SyncPlan, GpusAddUpSinceTheyCanOrAreAsked) {
  AllReduceProto conf;
  EXPECT_EQ(WhyNccl(conf), "each worker has a GPU of its own");
  conf.set_backend(AllReduceProto::kNccl);
  EXPECT_EQ(WhyNccl(conf), "cluster.all_reduce.backend is kNccl");
}

struct OwnGpusRow {
  const char *name, *stanza;
  std::vector<int> gpus;
  SyncFacts facts;
  const char* why_not;
};
void PrintTo(const OwnGpusRow& row, std::ostream* out) { *out << row.stanza; }

const OwnGpusRow kOwnGpusRows[] = {
    {"One", "", {3}, {}, ""},
    {"None", "", {}, {}, "a worker has no GPU"},
    {"Two", "nworkers_per_group: 2 nworkers_per_procs: 2", {0, 1}, {}, ""},
    {"TooFew", "nworkers_per_group: 2 nworkers_per_procs: 2", {0}, {}, "a worker has no GPU"},
    {"Same", "nworkers_per_group: 2 nworkers_per_procs: 2", {1, 1}, {}, "workers share a GPU"},
    {"SameBeyondTheWorkers", "nworkers_per_group: 2 nworkers_per_procs: 2", {0, 1, 1}, {}, ""},
    {"AProcessEach", "nworkers_per_group: 2", {0}, {}, ""},
    {"ProcessesHere",
     "nworkers_per_group: 2",
     {0},
     {.in_one_process = true},
     "a worker has no GPU"},
    {"SecondHost",
     "nworkers_per_group: 4 nworkers_per_procs: 2",
     {0, 1},
     {.one_host = false, .rank = 1},
     ""},
    {"LeftByTheProcessBefore",
     "nworkers_per_group: 4 nworkers_per_procs: 2",
     {0, 1, 2},
     {.rank = 1, .processes_before = 1},
     "a worker has no GPU"},
    {"NoWorkers",
     "nworkers_per_group: 2 server_worker_separate: true",
     {0},
     {.rank = 2},
     "it has no workers"},
};

class OwnGpusTest : public ::testing::TestWithParam<OwnGpusRow> {};
INSTANTIATE_TEST_SUITE_P(Processes, OwnGpusTest, ::testing::ValuesIn(kOwnGpusRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(OwnGpusTest, SaysWhyAWorkerHasNone) {
  const OwnGpusRow& row = GetParam();
  JobProto job = PlannedJob(row.stanza, 0);
  job.mutable_gpu()->Add(row.gpus.begin(), row.gpus.end());
  EXPECT_EQ(PlanSync(job, row.facts).why_not_own_gpus, row.why_not);
}

TEST(SyncPlan, SaysThatTheJobAsksForAnAllReduce) {
  const char* const stanza = "nworkers_per_group: 2 all_reduce {}";
  for (const SyncFacts& facts : {kOneHost, kHosts, kHere})
    EXPECT_TRUE(PlanSync(PlannedJob(stanza, 2), facts).all_reduce_is_set);
  EXPECT_FALSE(PlanSync(PlannedJob("nworkers_per_group: 2", 2)).all_reduce_is_set);
}

TEST(SyncPlan, NamesTheFieldThatIsWrong) {
  try {
    PlanSync(PlannedJob("nworkers_per_group: 0", 0));
    FAIL() << "a group without workers has a plan";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "cluster.nworkers_per_group");
  }
}

}  // namespace
}  // namespace singa
