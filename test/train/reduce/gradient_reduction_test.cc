// Tests gradients of a group's workers on their way to its SliceUpdates. group_nodes_test.cc and
// shared_group_test.cc test their sums.
#include "train/reduce/gradient_reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <thread>

#include "comm/collective/memory_collective.h"
#include "support/train/recorded_events.h"
#include "support/train/recorded_updates.h"

namespace singa {
namespace {

// ReducedGradients has `workers` workers with the gradients of two params. Each is 1 + its worker.
struct ReducedGradients {
  explicit ReducedGradients(int workers, const std::vector<Shape>& shapes = {{3}, {2}})
      : table(shapes),
        updates(table),
        reduction(table, &updates, {.ranks = {0, workers}, .group = workers, .here = workers}) {
    ctx.state = &state;
    gradients.resize(workers);
    for (int worker = 0; worker < workers; ++worker) {
      std::vector<BufferSums::Buffer> buffers;
      for (const Shape& shape : shapes) {
        gradients[worker].emplace_back(static_cast<size_t>(shape.size()), 1.f + worker);
        buffers.push_back({gradients[worker].back().data()});
      }
      reduction.Register(worker, std::move(buffers));
      collectives.emplace_back(&reduction.group(), worker, nullptr);
    }
  }
  void OfferAll(int param) {
    for (int worker = 0; worker < reduction.group().size(); ++worker) reduction.Offer(param);
  }
  // Has all workers end the step, each in its own thread.
  void Finish() {
    std::vector<std::thread> threads;
    for (int worker = 0; worker < reduction.group().size(); ++worker)
      threads.emplace_back([this, worker] {
        Context own = ctx;
        reduction.Finish(own, &collectives[worker]);
      });
    for (std::thread& thread : threads) thread.join();
  }

  const SliceTable table;
  RecordedUpdates updates;
  GradientReduction reduction;
  StepState state;
  Context ctx;
  std::vector<std::vector<std::vector<float>>> gradients;  // by worker and param
  std::deque<MemoryCollective> collectives;
};

TEST(GradientReductionTest, SubmitsAGradientOnceAllWorkersHaveOfferedIt) {
  ReducedGradients group(2);
  group.reduction.Offer(1);
  group.reduction.Reduce(group.ctx);
  EXPECT_TRUE(group.updates.order.empty());
  group.reduction.Offer(1);
  group.reduction.Reduce(group.ctx);
  EXPECT_EQ(group.updates.sums, (std::map<int, std::vector<std::vector<float>>>{{1, {{3, 3}}}}));
}

TEST(GradientReductionTest, FindsTheWorkerWhoseGradientIsNotFinite) {
  for (int bad = 0; bad < 4; ++bad) {
    ReducedGradients one(4);
    one.gradients[bad][1][0] = NAN;
    for (const int param : {0, 1}) one.OfferAll(param);
    one.reduction.Reduce(one.ctx);
    EXPECT_EQ(one.updates.not_finite, (std::map<int, int>{{0, -1}, {1, bad}}));
  }
}

TEST(GradientReductionTest, TellsWhenASumIsThereAndSubmitted) {
  ReducedGradients group(2);
  RecordedEvents events;
  group.updates.set_events(&events);
  group.state.step = 3;
  group.reduction.Offer(1);
  group.reduction.Reduce(group.ctx);
  EXPECT_TRUE(events.heard.empty());
  group.reduction.Offer(1);
  group.reduction.Reduce(group.ctx);
  EXPECT_EQ(events.heard, (std::vector<std::string>{"sum 1 in step 3", "submitted 1 in step 3"}));
}

TEST(GradientReductionTest, NothingIsLeftWhenAStepEnds) {
  ReducedGradients group(3);
  for (const int param : {1, 0}) group.OfferAll(param);
  group.Finish();
  EXPECT_EQ(group.updates.sums,
            (std::map<int, std::vector<std::vector<float>>>{{0, {{6, 6, 6}}}, {1, {{6, 6}}}}));
}

TEST(GradientReductionTest, EachWorkerEndsTheStep) {
  ReducedGradients group(2);
  group.state.step = 5;
  group.Finish();
  std::ranges::sort(group.updates.said);
  EXPECT_EQ(group.updates.said,
            (std::vector<std::string>{"finish 5 by 0 of 2", "finish 5 by 1 of 2"}));
}

TEST(GradientReductionTest, AStepEndsWithTheSumsOfItsFirstWorker) {
  ReducedGradients group(2);
  for (const int param : {0, 1}) group.OfferAll(param);
  group.Finish();
  EXPECT_EQ(group.updates.finished_with,
            (std::vector<float*>{group.gradients[0][0].data(), group.gradients[0][1].data()}));
}

TEST(GradientReductionTest, EachStepSubmitsAllSlices) {
  ReducedGradients group(2);
  for (int step = 0; step < 3; ++step) {
    for (const int param : {0, 1}) group.OfferAll(param);
    group.Finish();
  }
  EXPECT_EQ(group.updates.order, (std::vector<int>{0, 1, 0, 1, 0, 1}));
}

TEST(GradientReductionTest, RowsOfADividedParamAreSubmittedAsTheirOwnerHasThem) {
  const SliceTable table({{3, 1}}, {{2, 1}});
  RecordedUpdates updates(table);
  GradientReduction reduction(table, &updates, {.ranks = {0, 2}, .group = 2, .here = 2});
  std::vector<float> first = {1}, second = {2, 3};  // rows 0, and 1 and 2
  reduction.Register(0, {{first.data(), 0}});
  reduction.Register(1, {{second.data(), 1}});
  StepState state;
  Context ctx;
  ctx.state = &state;
  for (int worker = 0; worker < 2; ++worker) reduction.Offer(0);
  reduction.Reduce(ctx);
  EXPECT_EQ(updates.sums,
            (std::map<int, std::vector<std::vector<float>>>{{0, {{1}}}, {1, {{2, 3}}}}));
}

// A piece has the sums of two nodes of the tree, each for slices 1 and 2.
TEST(GradientReductionTest, APieceIsCutIntoItsSlices) {
  ReducedGradients group(1, {{2500}});
  ASSERT_EQ(group.table.size(), 3);
  const int64_t begin = group.table[1].begin, n = 2500 - begin;
  std::vector<float> one(static_cast<size_t>(n)), two(static_cast<size_t>(n), -1);
  for (int64_t i = 0; i < n; ++i) one[i] = static_cast<float>(begin + i);
  group.reduction.SubmitSlices(group.ctx, 1, 3, std::array<float*, 2>{one.data(), two.data()});
  EXPECT_EQ(group.updates.order, (std::vector<int>{1, 2}));
  for (const int slice : {1, 2}) {
    const std::vector<std::vector<float>>& sums = group.updates.sums.at(slice);
    ASSERT_EQ(sums.size(), 2u);
    EXPECT_EQ(sums[0].front(), static_cast<float>(group.table[slice].begin));
    EXPECT_EQ(sums[1].back(), -1);
  }
}

TEST(GradientReductionTest, ASliceOfOneWorkerNamesIt) {
  const SliceTable table({{3, 1}}, {{2, 1}});
  RecordedUpdates updates(table);
  GradientReduction reduction(table, &updates, {.ranks = {0, 2}, .group = 2, .here = 2});
  StepState state;
  Context ctx;
  ctx.state = &state;
  std::vector<float> rows = {1, NAN};
  reduction.SubmitSlices(ctx, 1, 2, std::array<float*, 1>{rows.data()});
  EXPECT_EQ(updates.not_finite, (std::map<int, int>{{1, 1}}));
}

}  // namespace
}  // namespace singa
