#include "driver/conf/check_units.h"

#include <gtest/gtest.h>

#include "support/driver/conf_findings.h"

namespace singa::check_units {
namespace {

constexpr char kThreads[] = "cluster { nworkers_per_group: 3 nworkers_per_procs: 3 }";

// The workers' rows of the batch are `sizes`. The convolution has two readers in its own layout,
// and one in another.
std::string Net(const std::string& sizes, const std::string& more = "") {
  return StrCat(R"(neuralnet {
    layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" shape: 3 shape: 8
            shape: 8 synthetic_conf { records: 40 classes: 2 } )",
                sizes, R"( } }
    layer { name: "conv" type: kConvolution srclayers: "data" partition_dim: 1
            convolution_conf { num_filters: 6 kernel: 3 } param { name: "w" } param { name: "b" } }
    layer { name: "relu" type: kReLU srclayers: "conv" partition_dim: 1 }
    layer { name: "pool" type: kPooling srclayers: "conv" partition_dim: 1
            pooling_conf { kernel: 2 stride: 2 } }
    layer { name: "fc" type: kInnerProduct srclayers: "conv" innerproduct_conf { num_output: 4 }
            param { name: "v" } param { name: "c" } } )",
                more, " } ");
}

std::string Found(const std::string& text, int workers = 3) {
  NetOptions rows;
  rows.parts = workers;
  rows.units = false;
  return LinesOf(CheckUnits(JobOfText(text), rows));
}

TEST(CheckUnits, AutoOverridesAllDimensions) {
  EXPECT_EQ(Found(Net("batchsize: 12", "partition: kAuto") + kThreads),
            "warning: neuralnet.layer[conv].partition_dim: has no effect: partition: kAuto chooses "
            "the dimension\n"
            "warning: neuralnet.layer[relu].partition_dim: has no effect: partition: kAuto chooses "
            "the dimension\n"
            "warning: neuralnet.layer[pool].partition_dim: has no effect: partition: kAuto chooses "
            "the dimension\n");
}

TEST(CheckUnits, AutoHasNoEffectOnOneWorker) {
  EXPECT_EQ(Found("neuralnet { partition: kAuto }", 1),
            "warning: neuralnet.partition: has no effect: the worker group has one worker\n");
}

TEST(CheckUnits, ADividedNetDrawsNothing) {
  EXPECT_EQ(Found(Net("batchsize: 12") + kThreads), "");
  EXPECT_EQ(Found(Net("batchsize: 12") + "cluster {}", 1), "");
}

TEST(CheckUnits, ALayerWithoutUnitsOfItsOwnIsTold) {
  const std::string norm =
      "layer { name: 'norm' type: kLRN srclayers: 'pool' partition_dim: 1 }"
      "layer { name: 'next' type: kLRN srclayers: 'norm' }";
  EXPECT_EQ(Found(Net("batchsize: 12", norm) + kThreads),
            "warning: neuralnet.layer[norm].partition_dim: has no effect: the layer is divided by "
            "rows; the results are the same\n");
}

TEST(CheckUnits, AGridOfALayerWithoutUnitsOfItsOwnIsAnError) {
  const std::string norm =
      "layer { name: 'norm' type: kLRN srclayers: 'pool' partition_grid { rows: 1 units: 3 } }"
      "layer { name: 'next' type: kLRN srclayers: 'norm' partition_grid { rows: 3 } }";
  EXPECT_EQ(
      Found(Net("batchsize: 12", norm) + kThreads),
      "error: neuralnet.layer[norm].partition_grid: must not be set: the workers cannot divide "
      "the units of this layer, only rows\n");
}

TEST(CheckUnits, AutoOverridesAGrid) {
  EXPECT_EQ(Found("neuralnet { partition: kAuto layer { name: 'a' partition_grid {} } }" +
                  std::string(kThreads)),
            "warning: neuralnet.layer[a].partition_grid: has no effect: partition: kAuto chooses "
            "the dimension\n");
}

TEST(CheckUnits, WorkersOnGpusDivideLayersButChooseNoDivision) {
  const std::string on_gpus = StrCat("gpu: 0 gpu: 1 gpu: 2 ", kThreads);
  const auto warnings = [&](const std::string& net) {
    const std::string found = Found(net + on_gpus);
    return found.find("partition") != std::string::npos ? found : "";
  };
  EXPECT_EQ(warnings(Net("batchsize: 12", "partition_dim: 1")), "");
  EXPECT_NE(warnings("neuralnet { partition: kAuto } ")
                .find("warning: neuralnet.partition: has no effect: the workers are on GPUs"),
            std::string::npos);
}

// The first worker has a third of the batch, the others have not.
TEST(CheckUnits, WorkersHaveEqualPartsOfTheBatch) {
  EXPECT_EQ(Found(Net("batchsize: 4 batchsize: 4 batchsize: 4") + kThreads), "");
  EXPECT_NE(Found(Net("batchsize: 4 batchsize: 5 batchsize: 3") + kThreads)
                .find("error: neuralnet.layer[conv].partition_dim: must be 0: the workers' rows of "
                      "the source are not equal parts of the batch, one worker has 5 of 12"),
            std::string::npos);
}

TEST(CheckUnits, MoreWorkersThanUnitsAreAnError) {
  EXPECT_NE(
      Found(Net("batchsize: 14") + "cluster { nworkers_per_group: 7 nworkers_per_procs: 7 }", 7)
          .find("error: neuralnet.layer[conv].convolution_conf.num_filters: must be >= 7"),
      std::string::npos);
}

}  // namespace
}  // namespace singa::check_units
