// Tests workers of a group in several processes without common memory. Each process adds up its
// nodes of the group's tree. The total equals the sum of threads in one process.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <thread>

#include "singa/base/philox.h"
#include "singa/base/str_cat.h"
#include "support/train/recorded_updates.h"
#include "train/reduce/group_exchange.h"
#include "train/reduce/piece_plan.h"

namespace singa {
namespace {

const std::vector<Shape> kShapes = {{40, 60}, {700, 500}};  // the second may come in pieces

// Runs one step of worker `number` of its group, number `place` of the process.
void Give(GradientReduction* reduction, int number, int place, bool in_pieces) {
  StepState state;
  Context ctx;
  ctx.state = &state;
  std::vector<std::unique_ptr<Param>> params;
  std::vector<Param*> all;
  for (size_t p = 0; p < kShapes.size(); ++p) {
    params.push_back(
        std::make_unique<Param>(StrCat("w", p), "layer", "", ParamProto(), kShapes[p]));
    all.push_back(params[p].get());
  }
  const PiecePlan plan({0, reduction->group().size()}, reduction->group().whole(), 1, false);
  GroupExchange exchange(reduction, place, &ctx,
                         {all, {false, in_pieces}, plan.room_floats(false)});
  for (size_t p = params.size(); p-- > 0;) {
    const int64_t row = kShapes[p][1];
    const Philox philox = {1, HashName(StrCat("gradient", p)), static_cast<uint32_t>(number)};
    const GradientRows rows = [&](Context&, int64_t first, int64_t n, float* piece) {
      for (int64_t i = 0; i < n * row; ++i) piece[i] = philox.Gaussian(first * row + i);
    };
    if (params[p]->sink)
      params[p]->sink->Consume(all[p], rows);
    else
      rows(ctx, 0, kShapes[p][0], params[p]->grad.data());
    exchange.GradientReady(all[p], 0);
  }
  exchange.Finish(0);
}

// Returns the sums that a process with these workers adds up.
std::map<int, std::vector<std::vector<float>>> SumsOf(SumNode workers, int group_size,
                                                      bool in_pieces) {
  RecordedUpdates recorder{SliceTable(kShapes)};
  GradientReduction reduction(SliceTable(kShapes), &recorder,
                              {.ranks = workers, .group = group_size, .here = workers.workers()});
  std::vector<std::thread> threads;
  for (int w = workers.first; w < workers.last; ++w)
    threads.emplace_back(Give, &reduction, w, w - workers.first, in_pieces);
  for (std::thread& thread : threads) thread.join();
  return recorder.sums;
}

class GroupNodes : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(InPieces, GroupNodes, ::testing::Bool());

TEST_P(GroupNodes, OfAllProcessesAreTheSumsOfThreads) {
  for (const auto& [workers, each] : {std::pair(4, 2), {5, 1}, {6, 3}, {6, 2}, {7, 1}, {9, 3}}) {
    const auto whole = SumsOf({0, workers}, workers, GetParam());
    std::map<int, std::vector<std::vector<float>>> parts;
    std::vector<SumNode> nodes;
    for (int first = 0; first < workers; first += each) {
      const SumNode here = {first, first + each};
      for (const SumNode& node : SumTree(workers).NodesOf(here)) nodes.push_back(node);
      for (auto& [slice, sums] : SumsOf(here, workers, GetParam()))
        parts[slice].insert(parts[slice].end(), sums.begin(), sums.end());
    }
    ASSERT_EQ(parts.size(), whole.size());
    for (const auto& [slice, sums] : parts) {
      ASSERT_EQ(sums.size(), nodes.size());
      std::vector<const float*> at;
      for (const std::vector<float>& sum : sums) at.push_back(sum.data());
      std::vector<float> all(sums[0].size());
      AddUp<float>({0, workers}, nodes, at, static_cast<int64_t>(all.size()), all.data());
      ASSERT_EQ(all, whole.at(slice).at(0)) << workers << " workers, " << each << " a process";
    }
  }
}

// All processes give the same gradients in pieces, with the same cuts: products of other rows round
// differently.
TEST(GroupPieces, AreTheSameInAllProcesses) {
  const auto pieces = [](SumNode worker, int group) {
    std::vector<std::pair<int64_t, int64_t>> cuts;
    RecordedUpdates recorder{SliceTable(kShapes)};
    GradientReduction reduction(SliceTable(kShapes), &recorder,
                                {.ranks = worker, .group = group, .here = 1});
    StepState state;
    Context ctx;
    ctx.state = &state;
    Param small("a", "layer", "", ParamProto(), kShapes[0]);
    Param large("b", "layer", "", ParamProto(), kShapes[1]);
    const PiecePlan plan(worker, group, 1, false);
    GroupExchange exchange(&reduction, 0, &ctx,
                           {{&small, &large}, {false, true}, plan.room_floats(false)});
    exchange.Consume(&large, [&](Context&, int64_t first, int64_t rows, float* piece) {
      cuts.emplace_back(first, rows);
      std::fill_n(piece, rows * kShapes[1][1], 1.f);
    });
    return cuts;
  };
  const auto cuts = pieces({0, 1}, 6);
  EXPECT_EQ(cuts, pieces({5, 6}, 6));
  EXPECT_EQ(cuts.size() % 6, 0u);  // as many pieces for each of the group's workers
  EXPECT_LT(pieces({0, 1}, 1).size(), cuts.size());
}

}  // namespace
}  // namespace singa
