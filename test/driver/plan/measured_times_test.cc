#include "driver/plan/measured_times.h"

#include <gtest/gtest.h>

#include "driver/plan/division.h"
#include "support/driver/plan_jobs.h"

namespace singa::measured_times {
namespace {

PartTimes TimesOf(const std::set<std::string>& layers, const PlanCluster& cluster,
                  const Layout& layout = LayoutByUnits(4)) {
  JobProto job = ImageJob();
  SetDivision(DivisionOf(layers, layout), job.mutable_neuralnet());
  return MeasuredTimes().Of({{job, cluster}})[0];
}

TEST(MeasuredTimes, HaveEachLayerOfTheConf) {
  const PartTimes times = TimesOf({}, WorkersOn(2));
  EXPECT_EQ(times.layers.size(), 7u);
  for (const char* layer : {"conv", "pool", "fc1", "fc2"})
    EXPECT_GT(times.layers.at(layer).forward, 0) << layer;
  EXPECT_GT(times.layers.at("fc1").backward, 0);
  EXPECT_GT(times.layers.at("fc1").update, 0);
  EXPECT_EQ(times.layers.at("data").backward, 0);
}

// Regions of workers whose parts do not run are zeros.
TEST(MeasuredTimes, ByUnitsNeedNoOtherWorkers) {
  const PartTimes times = TimesOf({"conv", "fc1"}, WorkersOn(4));
  EXPECT_EQ(times.layers.size(), 7u);
  EXPECT_GT(times.layers.at("conv").forward, 0);
}

TEST(MeasuredTimes, OfGridsAndWholeLayersNeedNoOtherWorkers) {
  for (const Layout& layout : {Layout{2, 2}, kWholeLayout}) {
    const PartTimes times = TimesOf({"conv", "fc1"}, WorkersOn(4), layout);
    EXPECT_GT(times.layers.at("fc1").forward, 0);
    EXPECT_GT(times.layers.at("conv").backward, 0);
  }
}

// The worker that is measured lacks the slices of other workers' units.
TEST(MeasuredTimes, OfABoundedGradientNeedNoOtherWorkers) {
  JobProto job = ImageJob();
  job.mutable_updater()->set_clip_norm(1);
  for (const Layout& layout : {LayoutByUnits(4), Layout{2, 2}, kWholeLayout}) {
    SetDivision(DivisionOf({"conv", "fc1"}, layout), job.mutable_neuralnet());
    const PartTimes times = MeasuredTimes().Of({{job, WorkersOn(4)}})[0];
    EXPECT_GT(times.layers.at("fc1").forward, 0);
  }
}

// Labels of other workers' rows come over the bridge in front of a slice of rows.
TEST(MeasuredTimes, OfSlicesOfRowsHaveLabels) {
  JobProto job = ImageJob();
  NetProto& net = *job.mutable_neuralnet();
  LayerProto& slice = *net.add_layer();
  slice.set_name("slice");
  slice.set_type(kSlice);
  slice.add_srclayers("data");
  slice.mutable_slice_conf()->set_slice_dim(0);
  slice.mutable_slice_conf()->set_num_slices(2);
  net.mutable_layer(1)->set_srclayers(0, "slice:0");
  net.mutable_layer(6)->set_srclayers(1, "slice:0");
  const PartTimes times = MeasuredTimes().Of({{job, WorkersOn(2)}})[0];
  EXPECT_GT(times.layers.at("slice").forward, 0);
}

}  // namespace
}  // namespace singa::measured_times
