// Tests on which side a net's nodes compute, and on which sides its values lie.
#include "nn/plan/placement.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace singa {
namespace placement_test {

constexpr OnSides kNone = {false, false}, kHost = {true, false}, kDevice = {false, true},
                  kBoth = {true, true};
constexpr Traits kThere = {.on_device = true}, kSplits = {.aliases_in = true, .on_device = true};

// Nodes are added in order. Values are numbered in the order of their making.
struct PlacementTest : ::testing::Test {
  std::deque<NetNode> nodes;
  std::vector<Node> graph;
  int values = 0;

  // Adds a node. Returns the first value that the node makes; its other values follow.
  int Add(Traits traits, std::initializer_list<int> reads, int makes = 1) {
    nodes.emplace_back().traits = traits;
    Node& node = graph.emplace_back();
    for (const int value : reads) node.in.push_back({.value = value});
    for (int k = 0; k < makes; ++k) node.out.push_back({.value = values++});
    return values - makes;
  }
  Placement Place(bool device = true) const {
    return PlaceNodes(nodes, graph, static_cast<size_t>(values), device);
  }
};

TEST_F(PlacementTest, WithoutADeviceAllIsTheHosts) {
  const int rows = Add({}, {}), x = Add(kThere, {rows});
  Add(kThere, {x});
  const Placement placement = Place(false);
  EXPECT_EQ(placement.nodes, (std::vector<Side>{kHostSide, kHostSide, kHostSide}));
  EXPECT_EQ(placement.data, std::vector<OnSides>(3, kHost));
  EXPECT_EQ(placement.grads, std::vector<OnSides>(3, kHost));
}

TEST_F(PlacementTest, ALayerOfTheHostBetweenTwoOfTheDeviceHasItsValuesOnBothSides) {
  const int first = Add(kThere, {}), between = Add({}, {first}), last = Add(kThere, {between});
  const Placement placement = Place();
  EXPECT_EQ(placement.nodes, (std::vector<Side>{kDeviceSide, kHostSide, kDeviceSide}));
  for (const auto* of : {&placement.data, &placement.grads}) {
    EXPECT_EQ((*of)[first], kBoth);
    EXPECT_EQ((*of)[between], kBoth);
    EXPECT_EQ((*of)[last], kDevice);
  }
}

TEST_F(PlacementTest, AValueLiesWhereItIsMadeAndRead) {
  const int rows = Add({}, {}, 2);  // one for each side
  const int there = Add(kThere, {rows}), here = Add({}, {rows + 1});
  const Placement placement = Place();
  EXPECT_EQ(placement.data[rows], kBoth);
  EXPECT_EQ(placement.data[rows + 1], kHost);
  EXPECT_EQ(placement.data[there], kDevice);
  EXPECT_EQ(placement.data[here], kHost);
}

// The gradient of labels is of no use on the host.
TEST_F(PlacementTest, WhatALayerOfTheDeviceChecksLiesWithTheHostToo) {
  const int x = Add(kThere, {}), labels = Add(kThere, {});
  Traits loss = kThere;
  loss.checks = 1 << 1;
  Add(loss, {x, labels});
  const Placement placement = Place();
  EXPECT_EQ(placement.nodes[2], kDeviceSide);
  EXPECT_EQ(placement.data[x], kDevice);
  EXPECT_EQ(placement.data[labels], kBoth);
  EXPECT_EQ(placement.grads[labels], kDevice);
}

// A split has one memory, which lies on each side with a reader, also through several splits.
TEST_F(PlacementTest, WhatASplitGivesIsOnTheSidesOfAllItsReaders) {
  const int rows = Add({}, {}), halves = Add(kSplits, {rows}, 2);
  const int quarters = Add(kSplits, {halves}, 2);
  Add(kThere, {quarters});
  Add({}, {quarters + 1});
  Add({}, {halves + 1});
  const Placement placement = Place();
  for (const int value : {rows, halves, halves + 1, quarters, quarters + 1})
    EXPECT_EQ(placement.data[value], kBoth) << value;
}

TEST_F(PlacementTest, ASplitComputesOnTheDeviceWhereOneOfItsReadersDoes) {
  const int rows = Add({}, {}), pair = Add(kSplits, {rows}, 2);
  Add({}, {pair});
  Add(kThere, {pair + 1});
  const int others = Add({}, {}), of_host = Add(kSplits, {others}, 2);
  Add({}, {of_host});
  Add({}, {of_host + 1});
  const Placement placement = Place();
  EXPECT_EQ(placement.nodes[1], kDeviceSide);
  EXPECT_EQ(placement.nodes[5], kHostSide);
  EXPECT_EQ(placement.data[of_host], kHost);
}

// The split adds the gradients up on the device. The gradient of the host's reader is copied to the
// device, and the sum to the host.
TEST_F(PlacementTest, GradientsOfASplitLieWhereItAddsThemUpAndWhereTheyComeFromAndGo) {
  const int rows = Add({}, {}), pair = Add(kSplits, {rows}, 2);
  Add({}, {pair});
  Add(kThere, {pair + 1});
  const Placement placement = Place();
  EXPECT_EQ(placement.grads[rows], kBoth);
  EXPECT_EQ(placement.grads[pair], kBoth);
  EXPECT_EQ(placement.grads[pair + 1], kDevice);
}

TEST_F(PlacementTest, WhatASplitGivesIsCheckedOnTheHost) {
  const int x = Add(kThere, {}), pair = Add(kSplits, {x}, 2);
  Traits reader = kThere;
  reader.checks = 1;
  Add(reader, {pair});
  Add(kThere, {pair + 1});
  const Placement placement = Place();
  EXPECT_EQ(placement.data[x], kBoth);
  EXPECT_EQ(placement.nodes[1], kDeviceSide);
}

TEST_F(PlacementTest, WhatNobodyMakesOrReadsLiesNowhere) {
  Add(kThere, {});
  ++values;
  const Placement placement = Place();
  EXPECT_EQ(placement.data[1], kNone);
  EXPECT_EQ(placement.grads[1], kNone);
}

}  // namespace placement_test
}  // namespace singa
