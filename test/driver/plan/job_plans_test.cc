#include "driver/plan/job_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/plan/part_memory.h"
#include "driver/plan/part_trainer.h"
#include "driver/plan/plan_report.h"
#include "driver/plan/rated_times.h"
#include "support/driver/given_times.h"
#include "support/driver/plan_jobs.h"

namespace singa::job_plans {
namespace {

JobPlans PlansOn(const PlanCluster& cluster, const JobProto& job = ImageJob(),
                 int64_t most_bytes = 0) {
  MachineProto machine = SmallMachine();
  RatedTimes timer(machine);
  return PlanJob(job, cluster, SyncRates(), most_bytes, &timer);
}

// A link that is so slow that only the params' bytes count.
PlanCluster SlowHosts() {
  PlanCluster cluster = WorkersOn(2, 2);
  cluster.link_gbit = 1e-3;
  cluster.link_us = 0;
  return cluster;
}

// A net whose params are far larger than its features.
JobProto WideJob() {
  JobProto job = ImageJob();
  job.mutable_neuralnet()->mutable_layer(4)->mutable_innerproduct_conf()->set_num_output(1000);
  return job;
}

TEST(JobPlans, OverASlowLinkLargeParamsAreDividedByUnits) {
  const JobPlans plans = PlansOn(SlowHosts(), WideJob());
  EXPECT_EQ(plans.found().division.count("fc1"), 1u);
  EXPECT_LT(plans.found().cost.step_ms, plans.Find("data")->cost.step_ms / 2);
  EXPECT_EQ(plans.note, "");
}

TEST(JobPlans, NoPlanIsFasterThanTheOneFound) {
  const JobPlans plans = PlansOn(SlowHosts(), WideJob());
  for (const JobPlan& plan : plans.plans)
    EXPECT_LE(plans.found().cost.step_ms, plan.cost.step_ms + 1e-9) << plan.name;
}

// 5 workers can divide all layers by units, in parts of different sizes.
JobProto SixUnitsJob() {
  JobProto job = ImageJob();
  job.mutable_neuralnet()->mutable_layer(5)->mutable_innerproduct_conf()->set_num_output(6);
  return job;
}

JobPlans PlansOf(double units_ms, const ModelError& error = {}) {
  GivenTimes timer(units_ms, error);
  return PlanJob(ImageJob(), WorkersOn(2), {.copy_gb_per_s = 1e9, .meeting_us = 0}, 0, &timer);
}

// The job divides its layers by rows, and the plan found divides some by units.
TEST(JobPlans, ModesAreOfTheDivisionThatTheJobTrains) {
  const JobPlans plans = PlansOn(SlowHosts(), WideJob());
  ASSERT_EQ(plans.modes.size(), 6u);
  EXPECT_EQ(plans.modes[0].step_ms, plans.Find("own")->cost.step_ms);
  EXPECT_EQ(plans.modes[0].sent_bytes, plans.Find("own")->cost.sent_bytes);
  EXPECT_EQ(plans.way, "");
  JobProto divides_itself = WideJob();
  divides_itself.mutable_neuralnet()->set_partition(NetProto::kAuto);
  const JobPlans found = PlansOn(SlowHosts(), divides_itself);
  EXPECT_EQ(found.modes[0].step_ms, found.found().cost.step_ms);
}

PlanCluster SlowGpus() {
  PlanCluster cluster = SlowHosts();
  cluster.gpus = true;
  return cluster;
}

TEST(JobPlans, OfGpusHaveTheModesOfNccl) {
  const JobPlans plans = PlansOn(SlowGpus(), WideJob());
  ASSERT_EQ(plans.modes.size(), 6u);
  EXPECT_EQ(plans.modes[0].step_ms, plans.Find("own")->cost.step_ms);
  EXPECT_EQ(plans.modes[0].way, "NCCL");
  EXPECT_LT(plans.modes[2].step_ms, plans.modes[0].step_ms / 2) << "kTopK";
  const std::string table = PlanTable(plans);
  EXPECT_NE(table.find("may be faster"), std::string::npos) << table;
  EXPECT_NE(table.find("encode gradients is not counted"), std::string::npos) << table;
  const auto json = nlohmann::json::parse(PlanJson(plans));
  for (const auto& mode : json["gradients"]) EXPECT_FALSE(mode.contains("encode_ms")) << mode;
}

// The other plans are those of hosts without GPUs.
TEST(JobPlans, OfGpusWithoutASpeedHaveBytesAlone) {
  PlanCluster cluster = SlowHosts();
  cluster.untimed_gpus = true;
  const JobPlans plans = PlansOn(cluster, WideJob()), of_cores = PlansOn(SlowHosts(), WideJob());
  EXPECT_EQ(plans.Find("own")->cost.step_ms, of_cores.Find("own")->cost.step_ms);
  const auto json = nlohmann::json::parse(PlanJson(plans));
  const auto of_gpus = nlohmann::json::parse(PlanJson(PlansOn(SlowGpus(), WideJob())));
  ASSERT_EQ(json["gradients"].size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    const auto& mode = json["gradients"][i];
    EXPECT_EQ(mode["link_bytes"], of_gpus["gradients"][i]["link_bytes"]);
    EXPECT_EQ(mode["by"], "NCCL");
    EXPECT_FALSE(mode.contains("step_ms") || mode.contains("pays"));
  }
  EXPECT_NE(PlanTable(plans).find("the GPUs' speed is not known"), std::string::npos);
}

TEST(JobPlans, DataParallelismIsKeptForASmallGain) {
  const JobPlans plans = PlansOf(29);
  EXPECT_TRUE(plans.found().division.empty());
  EXPECT_EQ(plans.note.rfind("data parallelism is kept: the fastest plan gains 2.8 %", 0), 0u)
      << plans.note;
  EXPECT_EQ(plans.Find("runner_up")->division.count("fc1"), 1u);
}

TEST(JobPlans, ASmallGainIsEnoughForAModelThatErrsLess) {
  const JobPlans plans = PlansOf(29, {.relative = 0.02, .plans = 9});
  EXPECT_EQ(plans.found().division.count("fc1"), 1u);
  EXPECT_NE(PlanTable(plans).find("model's error  2.0 %, of 9 plans measured here"),
            std::string::npos)
      << PlanTable(plans);
}

TEST(JobPlans, APlanIsTakenForALargeGain) {
  const JobPlans plans = PlansOf(20);
  EXPECT_EQ(plans.found().division.count("fc1"), 1u);
  EXPECT_EQ(plans.note, "");
}

TEST(JobPlans, ScoreTheConfsOwnPartition) {
  JobProto job = WideJob();
  job.mutable_neuralnet()->mutable_layer(5)->set_partition_dim(1);
  const JobPlans plans = PlansOn(SlowHosts(), job);
  EXPECT_EQ(plans.Find("own")->division, (Division{{"fc2", LayoutByUnits(2)}}));
}

TEST(JobPlans, ScoreTheConfsOwnGrids) {
  JobProto job = WideJob();
  job.mutable_neuralnet()->mutable_layer(4)->mutable_partition_grid()->set_rows(2);
  job.mutable_neuralnet()->mutable_layer(4)->mutable_partition_grid()->set_units(2);
  job.mutable_neuralnet()->mutable_layer(5)->mutable_partition_grid();
  PlanCluster cluster = WorkersOn(4);
  EXPECT_EQ(PlansOn(cluster, job).Find("own")->division,
            (Division{{"fc1", {2, 2}}, {"fc2", kWholeLayout}}));
  const JobPlans of_two = PlansOn(WorkersOn(2), job);
  EXPECT_EQ(of_two.Find("own"), nullptr);
  EXPECT_NE(of_two.note.find("\"own\" is left out: 2 workers cannot divide the layers"),
            std::string::npos)
      << of_two.note;
}

// No plan tries this grid unless the conf has it.
TEST(JobPlans, ScoreAGridThatOnlyTheConfHas) {
  JobProto job = WideJob();
  job.mutable_neuralnet()->mutable_layer(4)->mutable_partition_grid()->set_rows(4);
  job.mutable_neuralnet()->mutable_layer(4)->mutable_partition_grid()->set_units(3);
  const JobPlans plans = PlansOn(WorkersOn(12), job);
  EXPECT_EQ(plans.Find("own")->division, (Division{{"fc1", {4, 3}}}));
}

// Such layers train by units, but only their times by rows are known.
TEST(JobPlans, LayersThatShareAParamByUnitsHaveNoOwnPlan) {
  JobProto job = ImageJob();
  NetProto& net = *job.mutable_neuralnet();
  LayerProto& twin = *net.add_layer();
  twin = net.layer(4);
  twin.set_name("twin");
  for (ParamProto& param : *twin.mutable_param()) {
    param.set_share_from(param.name());
    param.set_name(param.name() + "_twin");
  }
  EXPECT_NE(PlansOn(WorkersOn(2), job).Find("own"), nullptr) << "by rows";
  net.mutable_layer(4)->set_partition_dim(1);
  twin.set_partition_dim(1);
  const JobPlans plans = PlansOn(WorkersOn(2), job);
  EXPECT_EQ(plans.Find("own"), nullptr);
  EXPECT_NE(plans.note.find("layer \"fc1\" shares a param"), std::string::npos) << plans.note;
}

TEST(JobPlans, HybridHasDenseLayersByUnits) {
  const JobPlans plans = PlansOn(WorkersOn(2));
  EXPECT_EQ(plans.Find("hybrid")->division,
            (Division{{"fc1", LayoutByUnits(2)}, {"fc2", LayoutByUnits(2)}}));
}

TEST(JobPlans, OneWorkerHasAPlan) {
  const JobPlans plans = PlansOn(WorkersOn(1));
  EXPECT_TRUE(plans.found().division.empty());
  EXPECT_NEAR(plans.one_worker_ms, plans.found().cost.step_ms, 1e-9);
}

TEST(JobPlans, HaveTheMemoryOfTheWorkerThatNeedsMost) {
  const int workers = 5;
  for (const JobPlan& plan : PlansOn(WorkersOn(workers), SixUnitsJob()).plans) {
    const JobProto job = JobOf(SixUnitsJob(), WorkersOn(workers), plan.division);
    int64_t most = 0, shared = 0;
    for (int worker = 0; worker < workers; ++worker) {
      const WorkerPlace place{.worker = worker, .workers = workers, .here = workers};
      const PartMemory memory = MemoryOf(PartTrainer(job, place).trainer());
      most = std::max(most, memory.own);
      shared += memory.shared;
    }
    EXPECT_EQ(plan.memory, most + shared / workers) << plan.name;
  }
}

bool NoPlanFits(const JobPlans& plans) {
  return plans.note.find("no plan fits") != std::string::npos;
}

TEST(JobPlans, FindAPlanThatFitsByItsExactMemory) {
  const JobPlans any = PlansOn(SlowHosts(), WideJob());
  const int64_t data = any.Find("data")->memory, fastest = any.found().memory;
  for (const int64_t most : {std::min(data, fastest), (data + fastest) / 2, fastest - 1, fastest}) {
    const JobPlans plans = PlansOn(SlowHosts(), WideJob(), most);
    if (most >= std::min(data, fastest))
      EXPECT_LE(plans.found().memory, most);
    else
      EXPECT_TRUE(plans.found().memory <= most || NoPlanFits(plans)) << most;
  }
  EXPECT_EQ(PlansOn(SlowHosts(), WideJob(), fastest).found().division, any.found().division);
}

TEST(JobPlans, OfAJobThatChoosesItsDivisionHaveNoOwn) {
  JobProto job = WideJob();
  job.mutable_neuralnet()->set_partition(NetProto::kAuto);
  const JobPlans plans = PlansOn(SlowHosts(), job);
  EXPECT_EQ(plans.Find("own"), nullptr);
  EXPECT_EQ(plans.note, "");
}

TEST(JobPlans, SayThatNoPlanFitsIntoMemory) {
  EXPECT_EQ(PlansOn(WorkersOn(2), ImageJob(), 1).note, "no plan fits into the memory of a worker");
}

TEST(PlanJson, HasEachPlanWithItsCosts) {
  const auto json = nlohmann::json::parse(PlanJson(PlansOn(SlowHosts(), WideJob())));
  std::vector<std::string> names;
  for (const auto& plan : json["plans"]) {
    names.push_back(plan["name"]);
    EXPECT_GT(plan["step_ms"].get<double>(), 0);
    EXPECT_GT(plan["memory_mb"].get<double>(), 0);
    EXPECT_GE(plan["bytes"].get<double>(), 0);
    EXPECT_EQ(plan["layers"].size(), 7u);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"found", "data", "own", "units", "hybrid", "runner_up"}));
}

// 12 workers have four grids, and plans try three of them.
TEST(PlanTable, CountsTheGridsThatNoPlanTries) {
  JobProto job = WideJob();
  const std::string note = "1 grid of rows and units was not tried";
  EXPECT_NE(PlanTable(PlansOn(WorkersOn(12), job)).find(note), std::string::npos);
  job.mutable_neuralnet()->mutable_layer(4)->mutable_partition_grid()->set_rows(4);
  job.mutable_neuralnet()->mutable_layer(4)->mutable_partition_grid()->set_units(3);
  EXPECT_EQ(PlanTable(PlansOn(WorkersOn(12), job)).find("not tried"), std::string::npos);
}

TEST(PlanTable, NamesLayersAndPlans) {
  const std::string table = PlanTable(PlansOn(SlowHosts(), WideJob()));
  for (const char* text : {"fc1", "kInnerProduct", "units", "found", "data parallel", "link MB",
                           "0.00 Gbit/s", "the machine file"})
    EXPECT_NE(table.find(text), std::string::npos) << text << "\n" << table;
}

}  // namespace
}  // namespace singa::job_plans
