// Tests the exchange of one worker with its group. shared_group_test.cc and group_nodes_test.cc
// test groups of several workers.
#include "train/reduce/group_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "singa/base/error.h"
#include "support/train/recorded_updates.h"
#include "train/reduce/piece_plan.h"

namespace singa {
namespace {

// AWorkerAlone has a small param and a large one.
struct AWorkerAlone {
  explicit AWorkerAlone(bool in_pieces = false) {
    ctx.state = &state;
    const PiecePlan plan({0, 1}, 1, 1, false);
    exchange.emplace(
        &reduction, 0, &ctx,
        GroupExchange::Gradients{{&small, &large}, {false, in_pieces}, plan.room_floats(false)});
  }

  const std::vector<Shape> shapes = {{3}, {400, 500}};
  const SliceTable table{shapes};
  RecordedUpdates updates{table};
  GradientReduction reduction{table, &updates, {}};
  StepState state;
  Context ctx;
  Param small{"s", "a", "", ParamProto(), shapes[0]}, large{"l", "b", "", ParamProto(), shapes[1]};
  Param unknown{"u", "c", "", ParamProto(), {1}};
  std::optional<GroupExchange> exchange;
};

TEST(GroupExchangeTest, AllocatesGradientsThatHaveNoMemory) {
  AWorkerAlone worker;
  EXPECT_EQ(worker.small.grad.size(), 3);
  EXPECT_FALSE(worker.small.grad.empty());
  EXPECT_FALSE(worker.large.grad.empty());
}

TEST(GroupExchangeTest, KeepsTheMemoryThatAGradientHas) {
  AWorkerAlone worker;
  std::vector<float> shared(3);
  worker.small.grad.Bind(shared.data());
  const GroupExchange exchange(&worker.reduction, 0, &worker.ctx,
                               {{&worker.small, &worker.large}, {false, false}, 0});
  EXPECT_EQ(worker.small.grad.data(), shared.data());
}

TEST(GroupExchangeTest, AGradientInPiecesIsNeverStored) {
  AWorkerAlone worker(true);
  EXPECT_EQ(worker.large.sink, &*worker.exchange);
  EXPECT_TRUE(worker.large.grad.empty());
  EXPECT_EQ(worker.small.sink, nullptr);
}

TEST(GroupExchangeTest, AGradientThatIsReadyIsSubmitted) {
  AWorkerAlone worker;
  std::fill_n(worker.small.grad.data(), 3, 5.f);
  worker.exchange->GradientReady(&worker.small, 0);
  EXPECT_EQ(worker.updates.sums,
            (std::map<int, std::vector<std::vector<float>>>{{0, {{5, 5, 5}}}}));
}

TEST(GroupExchangeTest, PiecesAreSubmittedWhileTheyAreComputed) {
  AWorkerAlone worker(true);
  worker.exchange->Consume(&worker.large, [](Context&, int64_t first, int64_t rows, float* piece) {
    for (int64_t i = 0; i < rows * 500; ++i) piece[i] = static_cast<float>(first + i / 500);
  });
  const auto [first, last] = worker.table.OfParam(1);
  ASSERT_EQ(worker.updates.sums.size(), static_cast<size_t>(last - first));
  for (int slice = first; slice < last; ++slice) {
    const std::vector<float>& sum = worker.updates.sums.at(slice)[0];
    EXPECT_EQ(sum.front(), static_cast<float>(worker.table[slice].begin / 500));
    EXPECT_EQ(sum.back(), sum.front() + static_cast<float>(sum.size()) / 500 - 1);
  }
}

TEST(GroupExchangeTest, TheEndOfPiecesSubmitsNothingMore) {
  AWorkerAlone worker(true);
  worker.exchange->GradientReady(&worker.large, 0);
  worker.exchange->Finish(0);
  EXPECT_TRUE(worker.updates.order.empty());
}

TEST(GroupExchangeTest, AwaitsItsParamsByTheirPlaces) {
  AWorkerAlone worker;
  worker.exchange->Await(&worker.large, 9);
  EXPECT_EQ(worker.updates.said, std::vector<std::string>{"await 1 in step 9"});
}

TEST(GroupExchangeTest, AParamThatNobodyTrainsIsNotAwaited) {
  AWorkerAlone worker;
  worker.exchange->Await(&worker.unknown, 9);
  EXPECT_TRUE(worker.updates.said.empty());
}

TEST(GroupExchangeTest, ThrowsTheErrorOfAnUpdateAtOnce) {
  AWorkerAlone worker(true);
  worker.updates.failure = "it diverges";
  EXPECT_THROW(worker.exchange->GradientReady(&worker.small, 0), DivergedError);
  EXPECT_THROW(worker.exchange->Consume(&worker.large, [](Context&, int64_t, int64_t, float*) {}),
               DivergedError);
  EXPECT_THROW(worker.exchange->Finish(0), DivergedError);
}

TEST(GroupExchangeTest, UpdatesJudgeLosses) {
  AWorkerAlone worker;
  EXPECT_FALSE(worker.exchange->may_drop_steps());
  worker.updates.set_needs_all(true);
  EXPECT_TRUE(worker.exchange->may_drop_steps());
  worker.exchange->LossNotFinite("softmax", 4);
  EXPECT_EQ(worker.updates.said, std::vector<std::string>{"loss of softmax in step 4 at worker 0"});
}

}  // namespace
}  // namespace singa
