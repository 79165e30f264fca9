// Tests which plan is taken if the search has estimated its memory wrongly. Sizes are in bytes.
#include "driver/plan/fitting_plan.h"

#include <gtest/gtest.h>

#include <map>

namespace singa::fitting_plan {
namespace {

constexpr Layout kRows = {4, 1}, kUnits = {1, 4}, kGrid = {2, 2};
constexpr int64_t kMost = 100;

// The time and the estimated memory of a layout.
struct Plan {
  double ms;
  int64_t bytes;
};

// Chooses between plans of a net with one layer. `exact`: the real memory where it is another one.
SearchResult Chosen(const std::map<Layout, Plan>& plans, const std::map<Layout, int64_t>& exact) {
  CostNet net;
  net.bridges.workers = 4;
  net.layers.resize(1);
  for (const auto& [layout, plan] : plans)
    net.layers[0].costs[layout] = {.forward_ms = plan.ms, .bytes = plan.bytes};
  return FittingPlan(SearchPlan(net, kMost), net, SearchFront(net), kMost,
                     [&](const Layouts& layouts) {
                       const auto at = exact.find(layouts[0]);
                       return at == exact.end() ? plans.at(layouts[0]).bytes : at->second;
                     });
}

TEST(FittingPlan, IsTheFastestOneIfThatFits) {
  const SearchResult chosen = Chosen({{kRows, {10, 95}}, {kUnits, {8, 90}}}, {{kUnits, 100}});
  EXPECT_EQ(chosen.best->layouts, Layouts{kUnits});
  EXPECT_EQ(chosen.runner_up->layouts, Layouts{kRows});
  EXPECT_TRUE(chosen.exact);
}

TEST(FittingPlan, IsTheRunnerUpIfTheFastestOneIsLargerThanEstimated) {
  const SearchResult chosen = Chosen({{kRows, {10, 95}}, {kUnits, {8, 90}}}, {{kUnits, 110}});
  EXPECT_EQ(chosen.best->layouts, Layouts{kRows});
  EXPECT_FALSE(chosen.runner_up);
  EXPECT_TRUE(chosen.exact) << "no other plan is faster";
}

TEST(FittingPlan, IsASmallerOneOfTheFront) {
  const SearchResult chosen =
      Chosen({{kRows, {20, 95}}, {kUnits, {8, 90}}, {kWholeLayout, {9, 85}}, {kGrid, {12, 60}}},
             {{kUnits, 110}, {kWholeLayout, 105}});
  EXPECT_EQ(chosen.best->layouts, Layouts{kGrid});
  EXPECT_FALSE(chosen.exact);
}

// The estimate of data parallelism is exact, and no other plan fits.
TEST(FittingPlan, IsDataParallelismIfThatAloneFits) {
  const SearchResult chosen =
      Chosen({{kRows, {10, 95}}, {kUnits, {8, 90}}, {kWholeLayout, {9, 80}}},
             {{kUnits, 110}, {kWholeLayout, 120}});
  EXPECT_EQ(chosen.best->layouts, Layouts{kRows});
  EXPECT_EQ(chosen.best->step_ms, 10);
  EXPECT_FALSE(chosen.exact);
}

TEST(FittingPlan, IsOneThatIsSmallerThanEstimated) {
  const SearchResult chosen = Chosen({{kRows, {10, 120}}, {kUnits, {8, 110}}}, {{kUnits, 100}});
  EXPECT_EQ(chosen.best->layouts, Layouts{kUnits});
}

TEST(FittingPlan, IsNoneIfNoPlanFits) {
  const SearchResult chosen = Chosen({{kRows, {10, 120}}, {kUnits, {8, 90}}}, {{kUnits, 110}});
  EXPECT_FALSE(chosen.best);
}

}  // namespace
}  // namespace singa::fitting_plan
