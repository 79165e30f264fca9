#include "driver/plan/division.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/driver/plan_jobs.h"

namespace singa::division {
namespace {

using testing::ElementsAre;

std::set<std::string> LayersWithUnits(const JobProto& job, const PlanCluster& cluster) {
  return LayersFor(LayoutByUnits(cluster.workers), job, cluster);
}

TEST(LayersWithUnits, AreLayersThatHaveEnoughUnits) {
  EXPECT_THAT(LayersWithUnits(ImageJob(), WorkersOn(4)),
              ElementsAre("conv", "fc1", "fc2", "pool", "relu"));
  EXPECT_THAT(LayersWithUnits(ImageJob(), WorkersOn(5)), ElementsAre("conv", "fc1", "pool", "relu"))
      << "fc2 has 4 units";
}

TEST(LayersWithUnits, LeaveOutLayersThatShareParams) {
  JobProto job = ImageJob();
  LayerProto& again = *job.mutable_neuralnet()->add_layer();
  again = job.neuralnet().layer(4);
  again.set_name("again");
  again.clear_param();
  again.add_param()->set_share_from("w1");
  again.add_param()->set_share_from("b1");
  EXPECT_THAT(LayersWithUnits(job, WorkersOn(2)), ElementsAre("conv", "fc2", "pool", "relu"));
}

TEST(LayersWithUnits, AreNoneIfWorkersHaveTheirOwnBatchSizes) {
  JobProto job = ImageJob();
  StoreProto& store = *job.mutable_neuralnet()->mutable_layer(0)->mutable_store_conf();
  store.clear_batchsize();
  for (const int rows : {8, 7, 8}) store.add_batchsize(rows);
  EXPECT_THAT(LayersWithUnits(job, WorkersOn(3)), ElementsAre());
}

TEST(LayersWithUnits, ThrowIfTheBatchHasTooFewRows) {
  try {
    LayersWithUnits(ImageJob(), WorkersOn(13));
    FAIL() << "the batch has 12 rows";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "neuralnet.layer[data].store_conf.batchsize");
  }
}

TEST(LayersFor, AGridNeedsAsManyUnitsAsItsParts) {
  EXPECT_THAT(LayersFor({2, 4}, ImageJob(), WorkersOn(8)),
              ElementsAre("conv", "fc1", "fc2", "pool", "relu"));
  EXPECT_THAT(LayersFor(kWholeLayout, ImageJob(), WorkersOn(8)),
              ElementsAre("conv", "fc1", "fc2", "pool", "relu"));
}

TEST(LayoutsToTry, AreUnitsWholeLayersAndAFewGrids) {
  EXPECT_THAT(LayoutsToTry(1), ElementsAre());
  EXPECT_THAT(LayoutsToTry(3), ElementsAre(Layout{1, 3}, kWholeLayout));
  EXPECT_THAT(LayoutsToTry(4), ElementsAre(Layout{1, 4}, kWholeLayout, Layout{2, 2}));
  EXPECT_THAT(LayoutsToTry(6), ElementsAre(Layout{1, 6}, kWholeLayout, Layout{2, 3}, Layout{3, 2}));
  EXPECT_THAT(LayoutsToTry(64),
              ElementsAre(Layout{1, 64}, kWholeLayout, Layout{2, 32}, Layout{8, 8}, Layout{32, 2}));
}

TEST(LayoutsFor, HaveTheNetsOwnGrids) {
  NetProto net = ImageJob().neuralnet();
  EXPECT_EQ(LayoutsFor(net, 12), LayoutsToTry(12));
  EXPECT_EQ(GridsLeftOut(net, 12), 1);
  net.mutable_layer(4)->mutable_partition_grid()->set_rows(4);
  net.mutable_layer(4)->mutable_partition_grid()->set_units(3);
  net.mutable_layer(5)->mutable_partition_grid()->set_rows(2);
  net.mutable_layer(5)->mutable_partition_grid()->set_units(2);
  std::vector<Layout> layouts = LayoutsToTry(12);
  layouts.push_back({4, 3});
  EXPECT_EQ(LayoutsFor(net, 12), layouts) << "a grid of 4 parts is for 4 workers";
  EXPECT_EQ(GridsLeftOut(net, 12), 0);
}

TEST(DivisionOf, IsNoneIfTheWorkersCannotDivideALayerSo) {
  NetProto net = ImageJob().neuralnet();
  net.mutable_layer(4)->mutable_partition_grid()->set_rows(2);
  EXPECT_EQ(DivisionOf(net, WorkersOn(3)), std::nullopt);
}

TEST(DivisionOf, TakesTheNetsDefaultAndTheLayersOwn) {
  NetProto net = ImageJob().neuralnet();
  net.set_partition_dim(1);
  net.mutable_layer(1)->set_partition_dim(0);
  net.mutable_layer(2)->mutable_partition_grid()->set_rows(2);
  const Division division = *DivisionOf(net, WorkersOn(2));
  EXPECT_FALSE(division.contains("conv"));
  EXPECT_FALSE(division.contains(net.layer(2).name())) << "two rows of one part";
  EXPECT_EQ(division.at("fc1"), LayoutByUnits(2));
}

TEST(SetDivision, NamesAWayForEachLayer) {
  NetProto net = ImageJob().neuralnet();
  net.set_partition_dim(1);
  net.mutable_layer(1)->mutable_partition_grid();
  SetDivision({{"fc1", LayoutByUnits(4)}, {"fc2", {2, 2}}}, &net);
  EXPECT_FALSE(net.has_partition_dim());
  EXPECT_FALSE(net.layer(1).has_partition_grid());
  EXPECT_EQ(net.layer(1).partition_dim(), 0);
  EXPECT_EQ(net.layer(4).partition_dim(), 1);
  EXPECT_EQ(DivisionOf(net, WorkersOn(4)), (Division{{"fc1", LayoutByUnits(4)}, {"fc2", {2, 2}}}));
}

TEST(TextOf, NamesTheLayersOfEachWay) {
  EXPECT_EQ(
      TextOf({{"a", LayoutByUnits(4)}, {"b", {2, 2}}, {"c", LayoutByUnits(4)}, {"d", {1, 1}}}, 4),
      "by units: a, c; in 2 x 2 parts: b; whole: d");
  EXPECT_EQ(TextOf(Division(), 4), "");
}

}  // namespace
}  // namespace singa::division
