#include "driver/plan/unit_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/driver/plan_jobs.h"

namespace singa::unit_layers {
namespace {

using testing::ElementsAre;

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

TEST(UnitLayersOf, AreTheNetsDefaultAndTheLayersOwn) {
  NetProto net = ImageJob().neuralnet();
  net.set_partition_dim(1);
  net.mutable_layer(1)->set_partition_dim(0);
  const UnitLayers by_units = UnitLayersOf(net);
  EXPECT_EQ(by_units.count("conv"), 0u);
  EXPECT_EQ(by_units.count("fc1"), 1u);
}

TEST(SetUnitLayers, NamesADimensionForEachLayer) {
  NetProto net = ImageJob().neuralnet();
  net.set_partition_dim(1);
  SetUnitLayers({"fc1"}, &net);
  EXPECT_FALSE(net.has_partition_dim());
  EXPECT_EQ(net.layer(1).partition_dim(), 0);
  EXPECT_EQ(net.layer(4).partition_dim(), 1);
}

}  // namespace
}  // namespace singa::unit_layers
