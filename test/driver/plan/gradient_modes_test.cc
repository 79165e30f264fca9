#include "driver/plan/gradient_modes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/driver/given_times.h"
#include "support/driver/plan_jobs.h"

namespace singa::gradient_modes {
namespace {

constexpr double kMs = 1e-3;  // tolerance

// Two hosts with a link of 8 Mbit/s, 1 ms for 1 KB, and no latency.
PlanCluster TwoHosts(double link_gbit = 8e-3) {
  PlanCluster cluster = WorkersOn(2, 2);
  cluster.link_gbit = link_gbit;
  cluster.link_us = 0;
  return cluster;
}

JobProto JobWith(const std::string& cluster) { return ImageJob(" cluster { " + cluster + " }"); }

TrainedShapes ShapesOf(const JobProto& job) {
  return JobCosts(job, TwoHosts(), SyncRates()).trained();
}

std::vector<std::string> NamesAndWays(const JobProto& job,
                                      const PlanCluster& cluster = TwoHosts()) {
  std::vector<std::string> all;
  for (const ModeForm& mode : ModesOf(job, cluster, ShapesOf(job)))
    all.push_back(mode.name + ": " + mode.way);
  return all;
}

// The image job's net has 6 ms of forward times and 30 ms of fc1, and no work on updates.
GradientMode PredictOf(const ExchangeForm& form, double exchanges = 1, double overlap = 0,
                       const PlanCluster& cluster = TwoHosts()) {
  const JobProto job = ImageJob();
  GivenTimes timer(30);
  const JobCosts costs(job, cluster, {.send_ms_per_mb = 0, .message_us = 0});
  const std::vector<PartTimes> times = timer.Of(costs.requests());
  const Layouts by_rows(costs.Net(times).layers.size(), LayoutByRows(2));
  const ModeForm mode = {
      .name = "mode", .way = "servers", .form = form, .exchanges = exchanges, .overlap = overlap};
  return Predict(mode, costs, times, by_rows);
}

double KilobytesOf(const JobProto& job) {
  return 1e-3 * static_cast<double>(ShapesOf(job).bytes());
}

TEST(GradientModes, TakeTheWaysOfTheJob) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(NamesAndWays(ImageJob()),
            (Names{"kNone: servers", "kFp16: servers", "kTopK, 5 %: servers",
                   "kThreshold, if 5 % are sent: servers",
                   "kPowerSGD, rank 2: messages between processes",
                   "kPartial, 1 bucket: messages between processes"}));
  EXPECT_EQ(NamesAndWays(JobWith("sync_freq: 20 outer_fragments: 4 outer_compression: kInt8 "
                                 "all_reduce { backend: kMpi sparsity: 0.01 rank: 3 "
                                 "fusion_elements: 1 }")),
            (Names{"kNone: MPI", "kFp16: MPI", "kTopK, 1 %: MPI",
                   "kThreshold, if 1 % are sent: MPI", "kPowerSGD, rank 3: MPI",
                   "kPartial, 6 buckets: MPI", "kOuter, 20 steps, kInt8, 4 fragments: servers"}));
}

TEST(GradientModes, SayThatAThresholdOfZeroSendsAll) {
  const std::vector<std::string> names =
      NamesAndWays(JobWith("all_reduce { threshold: 0 sparsity: 0.01 }"));
  EXPECT_EQ(names.at(2), "kTopK, 1 %: servers");
  EXPECT_EQ(names.at(3), "kThreshold, 100 %: servers");
}

TEST(GradientModes, ThatTheNamedBackendLacksAreLeftOut) {
  EXPECT_EQ(NamesAndWays(JobWith("all_reduce { backend: kServers }")),
            (std::vector<std::string>{"kNone: servers", "kFp16: servers", "kTopK, 5 %: servers",
                                      "kThreshold, if 5 % are sent: servers"}));
}

TEST(GradientModes, OfFewerBytesTakeLessTimeOnTheLink) {
  const GradientMode whole = PredictOf({});
  const GradientMode quarter = PredictOf({.gradient = 0.25, .sum = 0.25});
  const double kb = KilobytesOf(ImageJob());
  EXPECT_NEAR(1e-3 * static_cast<double>(whole.sent_bytes), kb, 0.01) << "half, and half back";
  EXPECT_NEAR(1e-3 * static_cast<double>(quarter.sent_bytes), kb / 4, 0.01);
  EXPECT_NEAR(whole.step_ms - quarter.step_ms, kb * 3 / 4, 0.05);
  // The given times have no backward pass that could hide a part.
  EXPECT_NEAR(whole.exposed_ms, kb, 0.05);
  EXPECT_NEAR(quarter.exposed_ms, kb / 4, 0.05);
}

// Each MB of gradients is encoded once, and decoded at its server and, but for the host's own half,
// from the server. Half of the sums are encoded here.
TEST(GradientModes, CountTheWorkOfTheCodecAndTheLatency) {
  const double mb = 1e-3 * KilobytesOf(ImageJob());
  const auto step_ms = [](const ExchangeForm& form) {
    return PredictOf(form, 1, 0, TwoHosts(1e9)).step_ms;
  };
  const double free = step_ms({});
  EXPECT_NEAR(step_ms({.encode_ms = 1000, .decode_ms = 3000, .sum_ms = 4000}) - free,
              mb * (1000 + 1.5 * 3000 + 0.5 * 4000), kMs);
  EXPECT_NEAR(step_ms({.latency_ms = 1000}) - free, mb * 1000, kMs);
}

// The net computes for 36 ms, whatever it sends.
TEST(GradientModes, DivideAStepIntoComputingEncodingAndWaiting) {
  const double mb = 1e-3 * KilobytesOf(ImageJob());
  const ExchangeForm form = {.gradient = 0.5, .encode_ms = 1000, .updates_all = true};
  for (const double exchanges : {1.0, 0.1}) {
    const GradientMode mode = PredictOf(form, exchanges);
    EXPECT_NEAR(mode.encode_ms, exchanges * mb * 1000, kMs);
    EXPECT_GT(mode.exposed_ms, 0);
    EXPECT_NEAR(mode.compute_ms(), 36, kMs);
  }
}

// Nothing hides them, since they follow the last gradient.
TEST(GradientModes, WaitForTheirLastMessages) {
  PlanCluster cluster = TwoHosts();
  cluster.link_us = 2000;
  const auto predict = [&](int messages) {
    return PredictOf({.last_messages = messages}, 1, 0, cluster);
  };
  const GradientMode none = predict(0), some = predict(3);
  EXPECT_NEAR(some.step_ms - none.step_ms, 6, kMs);
  EXPECT_NEAR(some.exposed_ms - none.exposed_ms, 6, kMs);
  EXPECT_NEAR(some.link_ms - none.link_ms, 6, kMs);
}

TEST(GradientModes, OfOuterStepsCostTheirShareOfAnExchange) {
  const GradientMode each = PredictOf({.updates_all = true});
  const GradientMode tenth = PredictOf({.updates_all = true}, 0.1);
  EXPECT_NEAR(static_cast<double>(tenth.sent_bytes), 0.1 * static_cast<double>(each.sent_bytes), 1);
  EXPECT_NEAR(tenth.exposed_ms, 0.1 * each.exposed_ms, kMs);
  EXPECT_NEAR(each.step_ms - tenth.step_ms, 0.9 * each.exposed_ms, kMs);
}

// A step without an exchange takes 36 ms, and an exchange more than that.
TEST(GradientModes, OfOuterStepsHideBehindTheStepsThatOverlap) {
  const auto predict = [](double overlap) {
    return PredictOf({.updates_all = true}, 0.1, overlap, TwoHosts(1e-3));
  };
  const GradientMode waits = predict(0), hides = predict(1), hides_all = predict(9);
  ASSERT_GT(10 * waits.exposed_ms, 36);
  EXPECT_NEAR(waits.exposed_ms - hides.exposed_ms, 0.1 * 36, kMs);
  EXPECT_NEAR(waits.step_ms - hides.step_ms, 0.1 * 36, kMs);
  EXPECT_NEAR(hides_all.exposed_ms, 0, kMs);
  EXPECT_NEAR(waits.step_ms - hides_all.step_ms, waits.exposed_ms, kMs);
  EXPECT_EQ(hides.sent_bytes, waits.sent_bytes);
}

// The next fragment's exchange begins after 5 steps.
TEST(GradientModes, OfOuterStepsNameTheirOverlap) {
  const JobProto job = JobWith("sync_freq: 20 outer_fragments: 4 outer_overlap: 7");
  const ModeForm outer = ModesOf(job, TwoHosts(), ShapesOf(job)).back();
  EXPECT_EQ(outer.name, "kOuter, 20 steps, 4 fragments, overlap 7");
  EXPECT_EQ(outer.overlap, 5);
}

PlanCluster GpusOfTwoHosts() {
  PlanCluster cluster = TwoHosts();
  cluster.gpus = true;
  return cluster;
}

// A GPU has room for the share of kThreshold, and groups of GPUs have no outer steps to predict.
TEST(GradientModes, OfGpusAreThoseOfNccl) {
  EXPECT_EQ(NamesAndWays(ImageJob(), GpusOfTwoHosts()),
            (std::vector<std::string>{"kNone: NCCL", "kFp16: NCCL", "kTopK, 5 %: NCCL",
                                      "kThreshold, 5 %: NCCL", "kPowerSGD, rank 2: NCCL",
                                      "kPartial, 1 bucket: NCCL"}));
  EXPECT_EQ(NamesAndWays(JobWith("all_reduce { backend: kServers }"), GpusOfTwoHosts()),
            std::vector<std::string>());
}

// kPartial averages values of one bucket after the backward pass. Whole gradients take as long.
TEST(GradientModes, OfGpusThatSendAfterTheBackwardPassHideNothing) {
  const JobProto job = ImageJob();
  const std::vector<ModeForm> modes = ModesOf(job, GpusOfTwoHosts(), ShapesOf(job));
  GivenTimes timer(30);
  const JobCosts costs(job, GpusOfTwoHosts(), {.send_ms_per_mb = 0});
  std::vector<PartTimes> times = timer.Of(costs.requests());
  times[0].layers["conv"].backward = 1e6;
  const Layouts by_rows(costs.Net(times).layers.size(), LayoutByRows(2));
  const GradientMode whole = Predict(modes[0], costs, times, by_rows);
  const GradientMode means = Predict(modes[5], costs, times, by_rows);
  EXPECT_LT(whole.exposed_ms, 0.1 * whole.link_ms);
  EXPECT_EQ(means.exposed_ms, means.link_ms);
  EXPECT_NEAR(means.step_ms - whole.step_ms, means.exposed_ms - whole.exposed_ms, kMs);
}

TEST(GradientModes, OfOneHostAreTheJobsOwn) {
  EXPECT_EQ(WayOnOneHost(ImageJob(), WorkersOn(2)), "shared host memory (one group on one host)");
  EXPECT_EQ(WayOnOneHost(JobWith("nworkers_per_procs: 2"), WorkersOn(2)), "threads (one process)");
}

// With MPI each process updates all values; with servers each one's server updates a half.
TEST(GradientModes, OfRanksUpdateAllValuesInEachProcess) {
  const JobProto by_mpi = JobWith("all_reduce { backend: kMpi }");
  EXPECT_FALSE(WholeForm(ImageJob(), TwoHosts(), ShapesOf(ImageJob())).updates_all);
  EXPECT_TRUE(WholeForm(by_mpi, TwoHosts(), ShapesOf(by_mpi)).updates_all);
}

TEST(GradientModes, OfAJobThatMpirunStartsAreThoseOfMpi) {
  PlanCluster by_mpirun = TwoHosts();
  by_mpirun.why_mpi = "Open MPI has started the job";
  const JobProto job = JobWith("all_reduce {}");
  EXPECT_FALSE(WholeForm(job, TwoHosts(), ShapesOf(job)).updates_all);
  EXPECT_TRUE(WholeForm(job, by_mpirun, ShapesOf(job)).updates_all);
  EXPECT_EQ(NamesAndWays(job, by_mpirun)[0], "kNone: MPI");
}

}  // namespace
}  // namespace singa::gradient_modes
