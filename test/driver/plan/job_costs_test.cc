// Tests the bytes that four workers exchange for the params of an inner product. It has 10 inputs
// and 20 units: 800 bytes of weights and 80 of biases.
#include "driver/plan/job_costs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/driver/plan_jobs.h"

namespace singa::job_costs {
namespace {

JobProto DenseJob() {
  return JobOfText(R"(
    name: "dense" train_steps: 1 train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 8
              shape: 10 synthetic_conf { records: 8 classes: 4 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 20 }
              param { name: "w" init { type: kGaussian std: 0.1 } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    } )");
}

// The bytes of fc's params: what a worker gets, and what a host sends.
struct Bytes {
  int64_t moved, sent;
  bool operator==(const Bytes&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Bytes& bytes) {
  return out << bytes.moved << " moved, " << bytes.sent << " sent";
}

Bytes BytesOf(const Layout& layout, int hosts, int servers = 0, bool apart = false) {
  PlanCluster cluster = WorkersOn(4, hosts);
  cluster.servers = servers;
  cluster.servers_apart = apart;
  const JobCosts costs(DenseJob(), cluster, {});
  const CostNet net = costs.Net(std::vector<PartTimes>(costs.requests().size()));
  const LayerCost& cost = std::ranges::find(net.layers, "fc", &CostLayer::name)->Of(layout);
  return {cost.moved_bytes, cost.sent_bytes};
}

TEST(JobCosts, CountTheParamsThatTrain) {
  JobProto job = DenseJob();
  job.mutable_updater()->set_momentum(0.9f);
  const JobCosts costs(job, WorkersOn(4), {});
  EXPECT_EQ(costs.trained().params, (std::vector<Shape>{{20, 10}, {20}}));
  EXPECT_EQ(costs.trained().bytes(), 880);
  EXPECT_EQ(costs.trained().states, 1);
}

// On one host a worker adds up a quarter of the gradients, and gets that of three others. Each of
// two hosts has half of the params: it gets the other half's new values, and sends half of its
// gradients and of the new values.
TEST(JobCosts, ByRowsAllWorkersHaveTheParams) {
  EXPECT_EQ(BytesOf(LayoutByRows(4), 1), (Bytes{3 * 220, 0}));
  EXPECT_EQ(BytesOf(LayoutByRows(4), 2), (Bytes{3 * 220 + 440, 2 * 440}));
}

TEST(JobCosts, ByUnitsEachWorkerHasItsOwnParams) {
  EXPECT_EQ(BytesOf(LayoutByUnits(4), 1), (Bytes{0, 0}));
  EXPECT_EQ(BytesOf(LayoutByUnits(4), 2), (Bytes{0, 0}));
}

// The workers need no gradients of each other. Two hosts send each other the new values.
TEST(JobCosts, OfAWholeLayerTheFirstWorkersGradientIsUsed) {
  EXPECT_EQ(BytesOf(kWholeLayout, 1), (Bytes{0, 0}));
  EXPECT_EQ(BytesOf(kWholeLayout, 2), (Bytes{440, 2 * 440}));
}

// A worker has its part of w_out and b_out. It adds up a quarter of the gradients of w_in and b_in,
// 864 bytes, as the others do, and gets 3/4 of the heads' feature, 256 bytes, and of its gradient.
TEST(JobCosts, HeadsMoveBetweenTheWorkersOfAttention) {
  const JobProto job = JobOfText(R"(
    name: "mix" train_steps: 1 train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 8
              shape: 8 synthetic_conf { records: 8 classes: 4 } } }
      layer { name: "mix" type: kAttention srclayers: "data" attention_conf { num_heads: 4 } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "mix" srclayers: "data" }
    } )");
  const JobCosts costs(job, WorkersOn(4), {});
  const CostNet net = costs.Net(std::vector<PartTimes>(costs.requests().size()));
  const CostLayer& mix = *std::ranges::find(net.layers, "mix", &CostLayer::name);
  EXPECT_EQ(mix.Of(LayoutByUnits(4)).moved_bytes, 3 * 864 / 4 + 2 * 3 * 256 / 4);
  const int64_t all = 864 + 288;  // and those of w_out and b_out
  EXPECT_EQ(mix.Of(LayoutByRows(4)).moved_bytes, 3 * all / 4);
}

// Two workers have the same half of the units, 440 bytes. On two hosts these are on different ones,
// and a host has both halves.
TEST(JobCosts, InAGridTheWorkersOfDifferentRowsHaveTheSameParams) {
  EXPECT_EQ(BytesOf({2, 2}, 1), (Bytes{220, 0}));
  EXPECT_EQ(BytesOf({2, 2}, 2), (Bytes{220 + 220, 2 * 2 * 220}));
}

// One of two hosts has the server. It sends the other one new values, and gets its gradients: of
// all params by rows, of half of them by units.
TEST(JobCosts, FarFromAServerEachWorkerSendsItsOwnParams) {
  EXPECT_EQ(BytesOf(LayoutByRows(4), 2, 1), (Bytes{3 * 220 + 880, 880}));
  EXPECT_EQ(BytesOf(LayoutByUnits(4), 2, 1), (Bytes{220, 440}));
}

// A host with one of two servers sends three hosts half of the values, and the other server half of
// its own gradients.
TEST(JobCosts, AServersHostSendsValuesToAllOthers) {
  EXPECT_EQ(BytesOf(LayoutByRows(4), 4, 2), (Bytes{3 * 220 + 880, (3 + 1) * 440}));
}

// A server without workers sends the values to each host. Four servers send each host a quarter,
// less than what a host sends them.
TEST(JobCosts, ServersOnHostsOfTheirOwnSendAllHostsValues) {
  EXPECT_EQ(BytesOf(LayoutByRows(4), 2, 1, true), (Bytes{3 * 220 + 880, 2 * 880}));
  EXPECT_EQ(BytesOf(LayoutByRows(4), 2, 4, true), (Bytes{3 * 220 + 880, 880}));
  EXPECT_EQ(BytesOf(LayoutByUnits(4), 1, 1, true), (Bytes{220, 880}));
}

// A host of two sends half of its gradients and half of the sums, each in its own form.
TEST(JobCosts, GradientsTravelInTheirForm) {
  const PlanCluster cluster = WorkersOn(4, 2);
  const JobCosts costs(DenseJob(), cluster, {});
  std::vector<PartTimes> times(costs.requests().size());
  for (PartTimes& part : times) part.layers["fc"].update = 8;
  const auto cost_of = [&](const ExchangeForm& form) {
    const CostNet net = costs.Net(times, form);
    return std::ranges::find(net.layers, "fc", &CostLayer::name)->Of(LayoutByRows(4));
  };
  const LayerCost whole = cost_of({});
  EXPECT_EQ(cost_of({.gradient = 0.5, .sum = 0.25}).sent_bytes, 330);
  // The four workers share the updates. If each host updates all values, its two workers do.
  EXPECT_NEAR(cost_of({.updates_all = true}).update_ms - whole.update_ms, 4 - 2, 1e-9);
}

TEST(JobCosts, EachGpuUpdatesItsOwnValues) {
  const auto update_ms = [](bool gpus) {
    PlanCluster cluster = WorkersOn(4, 2);
    cluster.gpus = gpus;
    const JobCosts costs(DenseJob(), cluster, {.copy_gb_per_s = 1e9, .send_ms_per_mb = 0});
    std::vector<PartTimes> times(costs.requests().size());
    for (PartTimes& part : times) part.layers["fc"].update = 8;
    const CostNet net = costs.Net(times, {.updates_all = true});
    return std::ranges::find(net.layers, "fc", &CostLayer::name)->Of(LayoutByRows(4)).update_ms;
  };
  EXPECT_NEAR(update_ms(true), 8, 1e-6);
  EXPECT_NEAR(update_ms(false), 4, 1e-6);
}

}  // namespace
}  // namespace singa::job_costs
