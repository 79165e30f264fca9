#include "nn/cost/step_cost.h"

#include <gtest/gtest.h>

namespace singa::step_cost {
namespace {

constexpr int64_t kMegabyte = 1000000;
constexpr Layout kRows = LayoutByRows(2), kUnits = LayoutByUnits(2);

// Two layers: the second reads the first. Each takes 1 ms forward and 2 ms backward.
CostNet TwoLayers() {
  CostNet net;
  net.bridges = {.workers = 2, .here = 2, .copy_ms_per_mb = 1};
  for (int i = 0; i < 2; ++i) {
    CostLayer layer;
    for (const Layout& layout : {kRows, kUnits, kWholeLayout})
      layer.costs[layout] = LayerCost{.forward_ms = 1, .backward_ms = 2};
    layer.outputs = {{8 * kMegabyte, true}};
    if (i > 0) layer.reads = {{0, 0}};
    net.layers.push_back(layer);
  }
  return net;
}

TEST(StepCost, AddsUpTheLayersOfOneCut) {
  const StepCost cost = CostOfStep(TwoLayers(), {kRows, kRows});
  EXPECT_DOUBLE_EQ(cost.step_ms, 6);
  EXPECT_EQ(cost.moved_bytes, 0);
}

TEST(StepCost, MovesHalfOfAWorkersRowsFromRowsToUnits) {
  // One of two workers gets a quarter of 8 MB, its units of the other's rows, and gives it back.
  const StepCost cost = CostOfStep(TwoLayers(), {kRows, kUnits});
  EXPECT_EQ(cost.moved_bytes, 4 * kMegabyte);
  EXPECT_DOUBLE_EQ(cost.step_ms, 6 + 4);
  EXPECT_DOUBLE_EQ(cost.layers[0].transfer_ms, 4);
}

TEST(StepCost, MovesAllRowsOfOthersToALayerThatReadsAllUnits) {
  CostNet net = TwoLayers();
  net.layers[1].reads_all = true;
  EXPECT_EQ(CostOfStep(net, {kRows, kUnits}).moved_bytes, 8 * kMegabyte);
  EXPECT_EQ(CostOfStep(net, {kUnits, kUnits}).moved_bytes, 8 * kMegabyte);
}

// A layer that each worker computes whole needs all of the other's rows, and gives no gradient
// back. Its readers have what they need, and give back all that the other lacks.
TEST(StepCost, ALayerThatAllComputeMovesOneWay) {
  EXPECT_EQ(CostOfStep(TwoLayers(), {kRows, kWholeLayout}).moved_bytes, 4 * kMegabyte);
  const StepCost behind = CostOfStep(TwoLayers(), {kWholeLayout, kRows});
  EXPECT_EQ(behind.moved_bytes, 4 * kMegabyte);
  EXPECT_DOUBLE_EQ(behind.step_ms, 6 + 4);
  EXPECT_EQ(CostOfStep(TwoLayers(), {kWholeLayout, kWholeLayout}).moved_bytes, 0);
}

TEST(StepCost, MovesNoGradientThatNobodyWants) {
  CostNet net = TwoLayers();
  net.layers[0].outputs[0].wants_gradient = false;
  EXPECT_EQ(CostOfStep(net, {kRows, kUnits}).moved_bytes, 2 * kMegabyte);
}

TEST(StepCost, ReadersThatNeedTheSameShareABridge) {
  CostNet net = TwoLayers();
  net.layers.push_back(net.layers[1]);
  const StepCost cost = CostOfStep(net, {kRows, kUnits, kUnits});
  EXPECT_EQ(cost.moved_bytes, 4 * kMegabyte);
}

TEST(StepCost, HidesGradientsBehindTheBackwardPassOfEarlierLayers) {
  CostNet net = TwoLayers();
  net.layers[1].costs[kRows].sent_ms = 1.5;
  const StepCost cost = CostOfStep(net, {kRows, kRows});
  EXPECT_DOUBLE_EQ(cost.step_ms, 6);
  EXPECT_DOUBLE_EQ(cost.layers[1].transfer_ms, 1.5);
  EXPECT_DOUBLE_EQ(cost.exposed_ms, 0);
}

TEST(StepCost, WaitsForTheGradientsOfTheFirstLayer) {
  CostNet net = TwoLayers();
  net.layers[0].costs[kRows].sent_ms = 1.5;
  const StepCost cost = CostOfStep(net, {kRows, kRows});
  EXPECT_DOUBLE_EQ(cost.step_ms, 7.5);
  EXPECT_DOUBLE_EQ(cost.exposed_ms, 1.5);
}

TEST(StepCost, ABridgeOverALinkWaitsForGradientsThatAreOnIt) {
  CostNet net = TwoLayers();
  net.bridges = {.workers = 2, .here = 1, .link_ms_per_mb = 1};
  net.layers[1].costs[kUnits].sent_ms = 3;
  // Forward 1 + 2 + 1, backward 2, then 3 for the gradients before the bridge's 2, then 2.
  EXPECT_DOUBLE_EQ(CostOfStep(net, {kRows, kUnits}).step_ms, 13);
}

}  // namespace
}  // namespace singa::step_cost
