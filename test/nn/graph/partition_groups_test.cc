// Tests layers whose groups of channels the workers of a group divide.
#include "nn/plan/net_builder.h"
#include "support/layer_test.h"
#include "support/nn/divided_net.h"

namespace singa::partition_groups {
namespace {

constexpr char kGroups[] = R"(
  layer { name: "data" type: kDummy dummy_conf { input: true shape: 12 shape: 6 shape: 5 shape: 4 } }
  layer { name: "deep" type: kConvolution srclayers: "data" param { name: "w1" } param { name: "b1" }
          convolution_conf { num_filters: 12 group: 6 kernel: 3 pad: 1 } partition_dim: 1 }
  layer { name: "relu" type: kReLU srclayers: "deep" partition_dim: 1 }
  layer { name: "up" type: kDeconvolution srclayers: "relu" param { name: "w2" } param { name: "b2" }
          convolution_conf { num_filters: 6 group: 6 kernel: 2 stride: 2 } partition_dim: 1 }
  layer { name: "wide" type: kDeconvolution srclayers: "up" param { name: "w3" } param { name: "b3" }
          convolution_conf { num_filters: 6 kernel: 2 } partition_dim: 1 }
  layer { name: "fc" type: kInnerProduct srclayers: "wide" param { name: "w4" } param { name: "b4" }
          innerproduct_conf { num_output: 4 } }
  layer { name: "loss" user_type: "TestLoss" srclayers: "fc" })";

// The part of one worker, with nothing allocated.
TestNet PartOfWorker(int worker, int workers) {
  NetOptions options;
  options.parts = workers;
  options.worker = worker;
  return TestNet(kGroups, options, false);
}

TEST(PartitionGroups, AWorkerHasWholeGroups) {
  TestNet part = PartOfWorker(1, 3);
  EXPECT_EQ(part.net.Find("deep")->out[0]->data.shape(), Shape({12, 4, 5, 4}));
  EXPECT_EQ(part.net.Find("up")->out[0]->data.shape(), Shape({12, 2, 10, 8}));
  EXPECT_EQ(part.net.Find("wide")->out[0]->data.shape(), Shape({4, 6, 11, 9}));
}

TEST(PartitionGroups, WorkersThatCannotHaveAsManyEachHaveRows) {
  EXPECT_EQ(PartOfWorker(1, 4).net.Find("deep")->out[0]->data.shape(), Shape({3, 12, 5, 4}));
}

TEST(PartitionGroups, RowsOfAnImageAreNoChannels) {
  NetOptions options;
  options.parts = 2;
  ParamTable params;
  ConfigErrors errors;
  BuildNet(ParseNet(R"(
    layer { name: "data" type: kDummy dummy_conf { input: true shape: 4 shape: 6 shape: 6 } }
    layer { name: "conv" type: kConvolution srclayers: "data" partition_dim: 1
            convolution_conf { num_filters: 2 group: 2 kernel: 1 } })"),
           options, &params, &errors);
  ASSERT_FALSE(errors.empty());
  EXPECT_STREQ(errors.front().what(),
               "layer[conv].convolution_conf.group: must divide the 1 channels of the source and "
               "the 2 filters, is 2");
}

TEST(PartitionGroups, WorkersTogetherComputeTheNetOfOne) {
  for (const int workers : {2, 3, 4, 6}) ExpectTheNetOfOne(kGroups, workers);
}

}  // namespace
}  // namespace singa::partition_groups
