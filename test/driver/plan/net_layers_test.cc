#include "driver/plan/net_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/plan/cut_job.h"
#include "support/driver/plan_jobs.h"
#include "train/trainer/worker_model.h"

namespace singa::net_layers {
namespace {

using testing::ElementsAre;

// The layers of the net of the last of three workers, of which `units` are divided by units.
std::vector<CostLayer> LayersOf(const std::vector<std::string>& units) {
  JobProto job = ImageJob();
  CutsByName cuts;
  for (const std::string& name : units) cuts[name] = Cut::kUnits;
  SetCuts(cuts, job.mutable_neuralnet());
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
