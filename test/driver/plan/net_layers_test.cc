#include "driver/plan/net_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "driver/plan/division.h"
#include "support/driver/plan_jobs.h"
#include "train/trainer/worker_model.h"

namespace singa::net_layers {
namespace {

using testing::ElementsAre;

// The layers of the net of the last of three workers, of which `units` are divided by units.
std::vector<CostLayer> LayersOf(const std::set<std::string>& units) {
  JobProto job = ImageJob();
  SetDivision(DivisionOf(units, LayoutByUnits(3)), job.mutable_neuralnet());
  const WorkerModel model(job, WorkersOn(3).PlaceOf(2), nullptr);
  return NetLayers(model.net()).Skeleton();
}

std::vector<std::string> NamesOf(const std::vector<CostLayer>& layers) {
  std::vector<std::string> names;
  for (const CostLayer& layer : layers) names.push_back(layer.name);
  return names;
}

TEST(NetLayers, AreThoseOfTheConfInOrder) {
  EXPECT_THAT(NamesOf(LayersOf({})),
              ElementsAre("data", "conv", "relu", "pool", "fc1", "fc2", "loss"));
}

TEST(NetLayers, BridgesAreNoLayers) {
  EXPECT_THAT(NamesOf(LayersOf({"fc1", "fc2"})),
              ElementsAre("data", "conv", "relu", "pool", "fc1", "fc2", "loss"));
}

TEST(NetLayers, ReadsGoThroughSplitsToTheirSource) {
  const std::vector<CostLayer> layers = LayersOf({});
  ASSERT_EQ(layers[6].reads.size(), 2u);  // the loss; data has two readers
  EXPECT_EQ(layers[6].reads[0].source, 5);
  EXPECT_EQ(layers[6].reads[1].source, 0);
  EXPECT_EQ(layers[1].reads[0].source, 0);
}

// With several workers there is a bridge in front of a slice of rows.
TEST(NetLayers, ReadsGoThroughBridgesToTheirSource) {
  JobProto job = ImageJob();
  NetProto& net = *job.mutable_neuralnet();
  LayerProto& slice = *net.add_layer();
  slice.set_name("slice");
  slice.set_type(kSlice);
  slice.add_srclayers("conv");
  slice.mutable_slice_conf()->set_slice_dim(0);
  slice.mutable_slice_conf()->set_num_slices(2);
  net.mutable_layer(2)->set_srclayers(0, "slice:0");
  net.mutable_layer(6)->set_type(kEuclideanLoss);
  net.mutable_layer(6)->set_srclayers(1, "fc1");
  net.mutable_layer(5)->mutable_innerproduct_conf()->set_num_output(40);
  const WorkerModel model(job, WorkersOn(3).PlaceOf(2), nullptr);
  const std::vector<CostLayer> layers = NetLayers(model.net()).Skeleton();
  const auto named = [&](const char* name) {
    return *std::ranges::find(layers, std::string(name), &CostLayer::name);
  };
  ASSERT_EQ(named("slice").reads.size(), 1u);
  EXPECT_EQ(layers[named("slice").reads[0].source].name, "conv");
  EXPECT_EQ(named("slice").outputs[0].bytes, 6 * 6 * 8 * 8 * 4) << "half of the rows";
}

TEST(NetLayers, OutputsHaveTheBytesOfTheWholeBatch) {
  const std::vector<CostLayer> layers = LayersOf({});
  EXPECT_EQ(layers[0].outputs[0].bytes, 12 * 3 * 8 * 8 * 4);
  EXPECT_EQ(layers[4].outputs[0].bytes, 12 * 40 * 4);
}

TEST(NetLayers, OnlyTrainedFeaturesWantGradients) {
  const std::vector<CostLayer> layers = LayersOf({});
  EXPECT_FALSE(layers[0].outputs[0].wants_gradient);
  EXPECT_TRUE(layers[1].outputs[0].wants_gradient);
}

TEST(NetLayers, InnerProductsAreDenseAndConvolutionsAreNot) {
  const std::vector<CostLayer> layers = LayersOf({});
  EXPECT_TRUE(layers[1].reads_all && !layers[1].dense);
  EXPECT_TRUE(layers[4].reads_all && layers[4].dense);
  EXPECT_FALSE(layers[2].reads_all);
}

}  // namespace
}  // namespace singa::net_layers
