// Warnings about a net rest on facts that layers say of themselves, so a user's layer draws them,
// too.
#include "driver/conf/net_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "driver/conf/check_job.h"
#include "singa/nn/layer.h"
#include "support/driver/conf_findings.h"
#include "support/net_test.h"

namespace singa::net_warnings {
namespace {

using testing::HasSubstr;
using testing::Not;

class SaysNothing : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
class GivesSoftmax final : public SaysNothing {
  Traits traits() const override { return {.gives_softmax = true}; }
};
class StopsNegatives final : public SaysNothing {
  Traits traits() const override { return {.stops_negatives = true}; }
};
class KeepsConstants final : public SaysNothing {
  Traits traits() const override { return {.keeps_constants = true}; }
};
class SubtractsMean final : public SaysNothing {
  Traits traits() const override { return {.subtracts_mean = true}; }
};
class IsLinear final : public SaysNothing {
  Traits traits() const override { return {.linear = true}; }
};
SINGA_REGISTER_LAYER(FactsNothing, SaysNothing);
SINGA_REGISTER_LAYER(FactsSoftmax, GivesSoftmax);
SINGA_REGISTER_LAYER(FactsNegatives, StopsNegatives);
SINGA_REGISTER_LAYER(FactsConstants, KeepsConstants);
SINGA_REGISTER_LAYER(FactsMean, SubtractsMean);
SINGA_REGISTER_LAYER(FactsLinear, IsLinear);

// Returns what is found in a job with these layers between "data", which gives images, and "top".
std::string Found(const std::string& layers) {
  return CheckJobText("F",
                      R"(train_steps: 10 train_one_batch { alg: kBP }
updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
neuralnet {
  layer { name: "data" type: kRecordInput store_conf {
          backend: "synthetic" batchsize: 6 shape: 1 shape: 5 shape: 5
          synthetic_conf { records: 70 classes: 3 } } }
)" + layers + R"(
  layer { name: "loss" type: kSoftmaxLoss srclayers: "top" srclayers: "data" }
})",
                      {}, {})
      ->conf.Render();
}

// Returns an inner product whose weight is 0 or random.
std::string Product(const std::string& name, const std::string& source, bool zero) {
  return StrCat("layer { name: '", name, "' type: kInnerProduct srclayers: '", source,
                "' innerproduct_conf { num_output: 3 } param { name: '", name,
                "w' init { type: ", zero ? "kConstant value: 0" : "kGaussian std: 0.1",
                " } } param { name: '", name, "b' init { type: kConstant value: 0 } } }\n");
}

std::string Own(const std::string& name, const std::string& source, const std::string& type) {
  return StrCat("layer { name: '", name, "' ", type, " srclayers: '", source, "' }\n");
}

TEST(NetWarnings, ASoftmaxBelowALossIsOneTooMany) {
  const auto found = [](const std::string& type) {
    return Found(Product("fc", "data", false) + Own("top", "fc", type));
  };
  const auto warns = HasSubstr("\"top\" is a softmax already");
  EXPECT_THAT(found("user_type: 'FactsSoftmax'"), warns);
  EXPECT_EQ(found("user_type: 'FactsNothing'"), "");
}

TEST(NetWarnings, ZerosBelowALayerThatStopsNegativesStay) {
  const auto found = [](const std::string& type) {
    return Found(Product("fc", "data", true) + Own("own", "fc", type) +
                 Product("top", "own", false));
  };
  const auto warns = HasSubstr("as layer \"own\" then gives them no gradient");
  EXPECT_THAT(found("user_type: 'FactsNegatives'"), warns);
  EXPECT_THAT(found("type: kActivation activation_conf { type: RELU }"), warns);
  EXPECT_EQ(found("type: kActivation activation_conf { type: TANH }"), "");
  EXPECT_EQ(found("type: kReLU relu_conf { negative_slope: 0.1 }"), "");
  EXPECT_EQ(found("user_type: 'FactsNothing'"), "");
}

TEST(NetWarnings, APositionOfOneTimeStepIsTheSameForAllRows) {
  const std::string position = "type: kPositionEmbedding position_embedding_conf { max_steps: 4 }";
  EXPECT_THAT(Found(Product("fc", "data", false) + Own("top", "fc", position)),
              HasSubstr("adds row 0 of its table to all rows, as there is one time step"));
}

TEST(NetWarnings, AttentionNeedsSeveralTimeSteps) {
  EXPECT_THAT(Found(Product("fc", "data", false) + Own("top", "fc", "type: kAttention")),
              HasSubstr("[top]: reads no other time step, as there is one time step: set "
                        "unroll_len in neuralnet"));
}

TEST(NetWarnings, ALinearLayerWithoutParamsHasNoZeros) {
  EXPECT_EQ(Found(Product("fc", "data", false) + Own("top", "fc", "user_type: 'FactsLinear'")), "");
}

TEST(NetWarnings, ABiasBelowALayerThatSubtractsTheMeanIsNotMissed) {
  const auto found = [](const std::string& type, const std::string& above,
                        const std::string& more = "") {
    return Found(StrCat("layer { name: 'conv' type: kConvolution srclayers: 'data'"
                        " convolution_conf { num_filters: 2 kernel: 3 ",
                        more,
                        " }"
                        " param { name: 'w' init { type: kGaussian std: 0.1 } } }\n") +
                 Own("one", "conv", type) + Own("two", "one", above) +
                 Product("top", "two", false));
  };
  const auto warns = HasSubstr("layer[conv]: has no bias, as it has one param");
  EXPECT_THAT(found("user_type: 'FactsNothing'", "user_type: 'FactsMean'"), warns);
  EXPECT_EQ(found("user_type: 'FactsConstants'", "user_type: 'FactsMean'"), "");
  EXPECT_THAT(found("user_type: 'FactsConstants'", "user_type: 'FactsNothing'"), warns);
  EXPECT_EQ(found("user_type: 'FactsNothing'", "user_type: 'FactsNothing'", "bias_term: false"),
            "");
}

// A loss depends on layer "top" alone; kAccuracy reads "side".
TEST(NetWarnings, AParamThatAnotherLayerTrainsIsTrained) {
  const auto found = [](const std::string& weight) {
    return Found(StrCat("layer { name: 'side' type: kInnerProduct srclayers: 'data' "
                        "innerproduct_conf { num_output: 3 bias_term: false } param { ",
                        weight, " } }\n",
                        "layer { name: 'right' type: kAccuracy srclayers: 'side' "
                        "srclayers: 'data' }\n") +
                 Product("top", "data", false));
  };
  EXPECT_THAT(found("name: 'own' init { type: kGaussian std: 0.1 }"),
              HasSubstr("layer[side]: its params are not trained: no loss depends on the layer"));
  EXPECT_THAT(found("name: 'own' share_from: 'topw'"), Not(HasSubstr("are not trained")));
}

class IsLoss final : public SaysNothing {
  Traits traits() const override { return {.originates_gradient = true}; }
};
SINGA_REGISTER_LAYER(FactsLoss, IsLoss);

TEST(NetWarnings, AUsersLayerThatIsNoLossHasNoWeight) {
  const std::string top = Product("top", "data", false);
  EXPECT_THAT(Found(Own("own", "top", "user_type: 'FactsNothing' loss_weight: 0.5") + top),
              HasSubstr("layer[own].loss_weight: has no effect: the layer is no loss"));
  EXPECT_EQ(Found(Own("own", "top", "user_type: 'FactsLoss' loss_weight: 0.5") + top), "");
}

TEST(NetWarnings, ALossOfWeight0TrainsNothing) {
  EXPECT_THAT(Found(Product("side", "data", false) +
                    Own("own", "side", "user_type: 'FactsLoss' loss_weight: 0") +
                    Product("top", "data", false)),
              HasSubstr("layer[side]: its params are not trained: no loss with another loss_weight "
                        "than 0 depends on the layer"));
}

TEST(NetWarnings, ALayerWithoutReadersMayMeasure) {
  const std::string top = Product("top", "data", false);
  EXPECT_THAT(Found(Own("side", "data", "type: kReLU") + top),
              HasSubstr("layer[side]: no layer reads it, so it has no effect on training"));
  EXPECT_EQ(
      Found("layer { name: 'right' type: kAccuracy srclayers: 'top' srclayers: 'data' }" + top),
      "");
  EXPECT_EQ(Found(Own("side", "data", "user_type: 'FactsNothing'") + top), "");
}

// Returns what is found in a job that changes the colours of the images of a store.
std::string JitterFound(const std::string& store, const std::string& colours,
                        const std::string& cut = "") {
  return CheckJobText("F",
                      StrCat(R"(train_steps: 10 train_one_batch { alg: kBP }
updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
neuralnet {
  layer { name: "data" type: kRecordInput store_conf {
          backend: "synthetic" batchsize: 6 shape: 3 shape: 5 shape: 5
          synthetic_conf { records: 70 classes: 3 } )",
                             store, R"( } }
  layer { name: "cut" type: kImagePreprocess srclayers: "data" rgbimage_conf { )",
                             cut, R"( } }
  layer { name: "colours" type: kImagePreprocess srclayers: "cut" rgbimage_conf { )",
                             colours, " } }\n", Product("top", "colours", false), R"(
  layer { name: "loss" type: kSoftmaxLoss srclayers: "top" srclayers: "data" }
})"),
                      {}, {})
      ->conf.Render();
}

TEST(NetWarnings, AColourJitterNeedsNumbersFrom0To255) {
  for (const std::string field : {"brightness", "contrast", "saturation", "hue"})
    EXPECT_THAT(
        JitterFound("std_value: 255", field + ": 0.1"),
        HasSubstr("layer[colours].rgbimage_conf." + field +
                  ": needs numbers from 0 to 255, and std_value of layer \"data\" changes them"));
  for (const char* store : {"mean_value: 127", "channel_mean: [1, 2, 3]", "channel_std: [1, 2, 3]"})
    EXPECT_THAT(JitterFound(store, "hue: 0.1"), HasSubstr("needs numbers from 0 to 255")) << store;
  EXPECT_THAT(JitterFound("", "hue: 0.1", "scale: 0.5"),
              HasSubstr("and scale of layer \"cut\" changes them"));
}

TEST(NetWarnings, AColourJitterMayScaleItsImagesItself) {
  EXPECT_EQ(JitterFound("", "hue: 0.1 scale: 0.00392157"), "");
  EXPECT_EQ(JitterFound("mean_value: 0 std_value: 1", "hue: 0.1"), "");
  EXPECT_EQ(JitterFound("std_value: 255", "mirror: true"), "");
}

// Returns a net whose layer "last" has one step and reads "steps", which has three.
std::string FirstSteps(const std::string& last) {
  const TestNet test(StrCat(R"(
      layer { name: "data" type: kDummy dummy_conf { input: true shape: 2 shape: 3 } unroll_len: 3 }
      layer { name: "steps" type: kReLU srclayers: "data" unroll_len: 3 }
      layer { name: "last" type: kSigmoid srclayers: "steps" )",
                            last, " }"),
                     {}, false);
  return LinesOf(FirstStepWarnings(test.net));
}

TEST(NetWarnings, ALayerOfOneStepThatReadsTheFirstOfSeveral) {
  EXPECT_EQ(FirstSteps(""),
            "neuralnet.layer[last].srclayers: reads the first time step of layer \"steps\"; for "
            "the last set unroll_conn_type: kUnrollFirstToLast\n");
  EXPECT_EQ(FirstSteps("unroll_conn_type: kUnrollFirstToLast"), "");
  EXPECT_EQ(FirstSteps("unroll_len: 3"), "");
}

}  // namespace
}  // namespace singa::net_warnings
