// The search finds the best plan of the cost model: on small nets, all plans are tried.
#include "nn/cost/plan_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace singa::plan_search {
namespace {

LayerCost RandomCost(std::mt19937* random) {
  std::uniform_real_distribution<double> ms(0, 10);
  LayerCost cost;
  cost.forward_ms = ms(*random);
  cost.backward_ms = ms(*random);
  cost.update_ms = ms(*random) / 4;
  cost.sent_ms = (*random)() % 3 == 0 ? 0 : 4 * ms(*random);
  cost.bytes = static_cast<int64_t>((*random)() % 1000);
  return cost;
}

constexpr int kWorkers = 4;
constexpr Layout kRows = LayoutByRows(kWorkers), kUnits = LayoutByUnits(kWorkers), kGrid = {2, 2};
constexpr std::array kAll = {kRows, kUnits, kWholeLayout, kGrid};

// A net of up to 6 layers with branches and joins. Some layers can be divided by rows alone.
CostNet RandomNet(std::mt19937* random, bool several_hosts) {
  CostNet net;
  net.bridges = {.workers = kWorkers,
                 .here = several_hosts ? 2 : 4,
                 .copy_ms_per_mb = 1,
                 .link_ms_per_mb = 5,
                 .meeting_ms = 0.1,
                 .link_ms = 0.5};
  net.step_ms = 1;
  net.bytes = 100;
  const int layers = 2 + static_cast<int>((*random)() % 5);
  for (int i = 0; i < layers; ++i) {
    CostLayer layer;
    layer.costs[kRows] = RandomCost(random);
    for (const Layout& layout : {kUnits, kWholeLayout, kGrid})
      if (i > 0 && (*random)() % 4 > 0) layer.costs[layout] = RandomCost(random);
    layer.reads_all = (*random)() % 2 == 0;
    const int outputs = 1 + static_cast<int>((*random)() % 2);
    for (int k = 0; k < outputs; ++k)
      layer.outputs.push_back({static_cast<int64_t>((*random)() % 4000000), (*random)() % 4 > 0});
    for (int k = 0; i > 0 && k < 1 + static_cast<int>((*random)() % 2); ++k) {
      const int source = static_cast<int>((*random)() % static_cast<uint32_t>(i));
      const size_t of_source = net.layers[source].outputs.size();
      layer.reads.push_back({source, static_cast<int>((*random)() % of_source)});
    }
    net.layers.push_back(std::move(layer));
  }
  return net;
}

// Returns all plans of a net, the fastest first.
std::vector<FoundPlan> AllPlans(const CostNet& net) {
  std::vector<FoundPlan> plans;
  for (uint32_t bits = 0; bits < 1u << (2 * net.layers.size()); ++bits) {
    FoundPlan plan;
    bool possible = true;
    for (size_t i = 0; i < net.layers.size(); ++i) {
      plan.layouts.push_back(kAll[bits >> (2 * i) & 3]);
      possible = possible && net.layers[i].Has(plan.layouts[i]);
    }
    if (!possible) continue;
    const StepCost cost = CostOfStep(net, plan.layouts);
    plan.step_ms = cost.step_ms;
    plan.bytes = cost.bytes;
    plans.push_back(std::move(plan));
  }
  std::ranges::stable_sort(plans, {}, &FoundPlan::step_ms);
  return plans;
}

class PlanSearch : public testing::TestWithParam<int> {
 protected:
  std::mt19937 random_{static_cast<uint32_t>(GetParam())};
  const CostNet net_ = RandomNet(&random_, GetParam() % 2 == 0);
  const std::vector<FoundPlan> all_ = AllPlans(net_);
};

TEST_P(PlanSearch, FindsTheFastestOfAllPlans) {
  const SearchResult found = SearchPlan(net_);
  ASSERT_TRUE(found.best && found.exact);
  EXPECT_NEAR(found.best->step_ms, all_[0].step_ms, 1e-9);
  EXPECT_NEAR(found.best->step_ms, CostOfStep(net_, found.best->layouts).step_ms, 1e-9);
  EXPECT_EQ(found.best->bytes, CostOfStep(net_, found.best->layouts).bytes);
}

TEST_P(PlanSearch, FindsTheRunnerUp) {
  const SearchResult found = SearchPlan(net_);
  ASSERT_EQ(found.runner_up.has_value(), all_.size() > 1);
  if (!found.runner_up) return;
  EXPECT_NE(found.runner_up->layouts, found.best->layouts);
  EXPECT_NEAR(found.runner_up->step_ms, all_[1].step_ms, 1e-9);
}

TEST_P(PlanSearch, FindsTheFastestPlanThatFitsIntoMemory) {
  for (const FoundPlan& bound : {all_[all_.size() / 2], all_.back()}) {
    const SearchResult found = SearchPlan(net_, bound.bytes);
    ASSERT_TRUE(found.best && found.exact);
    const auto fits = [&](const FoundPlan& plan) { return plan.bytes <= bound.bytes; };
    EXPECT_NEAR(found.best->step_ms, std::ranges::find_if(all_, fits)->step_ms, 1e-9);
    EXPECT_LE(found.best->bytes, bound.bytes);
  }
}

TEST_P(PlanSearch, FindsNoPlanIfNoneFitsIntoMemory) {
  const int64_t least = std::ranges::min_element(all_, {}, &FoundPlan::bytes)->bytes;
  EXPECT_FALSE(SearchPlan(net_, least - 1).best);
}

TEST_P(PlanSearch, FindsThePlansThatNoOtherBeatsInTimeAndMemory) {
  const PlanFront front = SearchFront(net_);
  ASSERT_TRUE(front.exact);
  size_t next = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const FoundPlan& plan : all_) {
    if (plan.bytes >= least) continue;
    least = plan.bytes;
    ASSERT_LT(next, front.plans.size());
    EXPECT_NEAR(front.plans[next].step_ms, plan.step_ms, 1e-9);
    EXPECT_EQ(front.plans[next++].bytes, plan.bytes);
  }
  EXPECT_EQ(next, front.plans.size());
}

INSTANTIATE_TEST_SUITE_P(RandomNets, PlanSearch, testing::Range(0, 150));

// A net of `modules` modules, each of four branches of seven layers, over two hosts.
CostNet DeepNet(int modules) {
  std::mt19937 random(1);
  CostNet net;
  net.bridges = {.workers = 4, .here = 2, .copy_ms_per_mb = 1, .link_ms_per_mb = 8, .link_ms = 1};
  const auto add = [&](const std::vector<int>& sources) {
    CostLayer layer;
    layer.costs[kRows] = RandomCost(&random);
    layer.costs[kUnits] = RandomCost(&random);
    layer.costs[kUnits].sent_ms = 0;  // each worker has its own units' params
    layer.reads_all = random() % 2 == 0;
    layer.outputs = {{static_cast<int64_t>(random() % 1000000), true}};
    for (const int source : sources) layer.reads.push_back({source, 0});
    net.layers.push_back(layer);
    return static_cast<int>(net.layers.size()) - 1;
  };
  int last = add({});
  for (int module = 0; module < modules; ++module) {
    std::vector<int> ends;
    for (int branch = 0; branch < 4; ++branch) {
      int end = last;
      for (int depth = 0; depth < 7; ++depth) end = add({end});
      ends.push_back(end);
    }
    last = add(ends);
  }
  return net;
}

TEST(PlanSearchOfDeepNet, IsExactForBranchesThatJoin) {
  const SearchResult found = SearchPlan(DeepNet(11));
  EXPECT_TRUE(found.best && found.exact);
}

}  // namespace
}  // namespace singa::plan_search
