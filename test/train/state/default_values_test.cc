// Tests the first values of params for which a conf has no init: those of PyTorch's layers.
#include <algorithm>
#include <cmath>
#include <map>

#include "support/net_test.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

using Values = std::vector<float>;

// Returns the values of all whole params of the net, by name.
std::map<std::string, Values> FirstValues(const std::string& net, const NetOptions& options = {}) {
  const TestNet test(net, options, false);
  ParamTable params = test.params.Wholes();
  for (const auto& param : params.params()) param->data = Tensor::Allocate(param->shape());
  InitParams(test.ctx, {}, &params);
  std::map<std::string, Values> values;
  for (const auto& param : params.params())
    values[param->name()] = {param->data.data(), param->data.data() + param->size()};
  return values;
}

// Returns a net of one layer "x" that reads rows of this shape.
std::string Net(const std::string& shape, const std::string& layer) {
  return StrCat("layer { name: 'in' type: kDummy dummy_conf { input: true shape: 6 ", shape,
                " } } layer { name: 'x' srclayers: 'in' ", layer, " }");
}

std::string Indices(const std::string& layer) {
  return "layer { name: 'in' type: kRNNDummy rnn_dummy_conf { shape: 6 shape: 1 integer: true "
         "high: 5 } } layer { name: 'x' srclayers: 'in' " +
         layer + " }";
}

struct Moments {
  double mean = 0, square = 0;
};

Moments MomentsOf(const Values& values) {
  Moments of;
  for (double x : values) of.mean += x, of.square += x * x;
  const auto n = static_cast<double>(values.size());
  return {of.mean / n, of.square / n};
}

// Expects numbers from U[-bound, bound), their mean and mean square within five deviations.
void ExpectUniform(const Values& values, double bound) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  EXPECT_GE(*least, static_cast<float>(-bound));
  EXPECT_LT(*most, static_cast<float>(bound));
  const Moments of = MomentsOf(values);
  EXPECT_NEAR(of.mean, 0, 5 * bound / std::sqrt(3 * n));
  EXPECT_NEAR(of.square, bound * bound / 3, 5 * bound * bound * std::sqrt(4 / (45 * n)));
  if (n > 1000) {
    EXPECT_GT(*most - *least, 1.99 * bound);
  }
}

TEST(DefaultValues, OfAnInnerProductDependOnItsInputs) {
  const std::string layer = "type: kInnerProduct innerproduct_conf { num_output: 300 ";
  for (const char* more : {"}", "transpose: true }"}) {
    const auto values = FirstValues(Net("shape: 400", layer + more));
    ASSERT_EQ(values.at("x_0").size(), 120000u);
    ExpectUniform(values.at("x_0"), 1 / std::sqrt(400.));
    ASSERT_EQ(values.at("x_1").size(), 300u);
    ExpectUniform(values.at("x_1"), 1 / std::sqrt(400.));
  }
}

TEST(DefaultValues, OfAConvolutionDependOnThePixelsOfAWindow) {
  const auto values = FirstValues(
      Net("shape: 4 shape: 7 shape: 7",
          "type: kConvolution convolution_conf { num_filters: 80 kernel_x: 5 kernel_y: 3 }"));
  ASSERT_EQ(values.at("x_0").size(), 80u * 4 * 5 * 3);
  ExpectUniform(values.at("x_0"), 1 / std::sqrt(60.));
  ASSERT_EQ(values.at("x_1").size(), 80u);
  ExpectUniform(values.at("x_1"), 1 / std::sqrt(60.));
}

TEST(DefaultValues, OfARecurrentLayerDependOnItsHiddenUnits) {
  const std::map<std::string, std::string> layers = {
      {"kGRU", "gru_conf"}, {"kLSTM", "lstm_conf"}, {"kRNN", "rnn_conf"}};
  for (const auto& [type, conf] : layers) {
    const auto values =
        FirstValues(Net("shape: 30", StrCat("type: ", type, " ", conf, " { dim_hidden: 50 }")));
    EXPECT_EQ(values.size(), type == "kGRU" ? 9u : type == "kLSTM" ? 12u : 3u);
    for (const auto& [name, numbers] : values) {
      SCOPED_TRACE(type + name);
      ExpectUniform(numbers, 1 / std::sqrt(50.));
    }
  }
}

TEST(DefaultValues, OfAnEmbeddingAreStandardNormal) {
  const Values values =
      FirstValues(Indices("type: kEmbedding embedding_conf { vocab_size: 90 feature_dim: 70 }"))
          .at("x_0");
  const auto n = static_cast<double>(values.size());
  ASSERT_EQ(n, 6300);
  const Moments of = MomentsOf(values);
  EXPECT_NEAR(of.mean, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(of.square, 1, 5 * std::sqrt(2 / n));
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 2.5f);
}

TEST(DefaultValues, OfABatchNormalisationLeaveItsFeatureAsItIs) {
  const auto values = FirstValues(Net("shape: 3", "type: kBM"));
  for (const char* ones : {"x_0", "x_3"}) EXPECT_EQ(values.at(ones), Values(3, 1));
  for (const char* zeros : {"x_1", "x_2"}) EXPECT_EQ(values.at(zeros), Values(3, 0));
}

TEST(DefaultValues, EqualThoseOfAnInitThatSaysTheSame) {
  const std::string gaussian = "param { init { type: kGaussian } }";
  std::string eighth;  // 1 / sqrt(64)
  for (int i = 0; i < 12; ++i)
    eighth += "param { init { type: kUniform low: -0.125 high: 0.125 } }";
  for (const std::string& net :
       {Net("shape: 64", "type: kInnerProduct innerproduct_conf { num_output: 5 } PARAMS"),
        Net("shape: 4 shape: 6 shape: 6",
            "type: kConvolution convolution_conf { num_filters: 3 kernel: 4 } PARAMS"),
        Net("shape: 3", "type: kLSTM lstm_conf { dim_hidden: 64 } PARAMS"),
        Indices("type: kEmbedding embedding_conf { vocab_size: 9 feature_dim: 7 } PARAMS")}) {
    std::string told = net, left_out = net;
    const bool embedding = net.find("kEmbedding") != std::string::npos;
    told.replace(net.find("PARAMS"), 6, embedding ? gaussian : eighth);
    left_out.replace(net.find("PARAMS"), 6, "");
    EXPECT_EQ(FirstValues(left_out), FirstValues(told)) << net;
  }
}

TEST(DefaultValues, AreTheSameForAnyDivision) {
  const std::string net =
      Net("shape: 4 shape: 6 shape: 6",
          "type: kConvolution convolution_conf { num_filters: 5 kernel: 3 }") +
      "layer { name: 'fc' type: kInnerProduct srclayers: 'x' innerproduct_conf { num_output: 7 } }";
  const auto values = FirstValues(net);
  EXPECT_EQ(values.size(), 4u);
  for (const char* dim : {"partition_dim: 0 ", "partition_dim: 1 "})
    for (int worker = 0; worker < 3; ++worker) {
      NetOptions options;
      options.parts = 3;
      options.worker = worker;
      EXPECT_EQ(FirstValues(dim + net, options), values) << dim << worker;
    }
}

TEST(DefaultValues, ABlockWithoutAnInitGetsThem) {
  const std::string layer = "type: kInnerProduct innerproduct_conf { num_output: 300 } ";
  const auto values =
      FirstValues(Net("shape: 25", layer + "param { name: 'w' lr_scale: 2 }"
                                           " param { init { type: kConstant value: 3 } }"));
  ExpectUniform(values.at("w"), 0.2);
  EXPECT_EQ(values.at("x_1"), Values(300, 3));
}

TEST(DefaultValues, OfASharedParamAreItsOwners) {
  const std::string table =
                        "layer { name: 'table' type: kEmbedding srclayers: 'in' embedding_conf {"
                        " vocab_size: 60 feature_dim: 50 } param { name: 'w' } }",
                    scores =
                        "layer { name: 'scores' type: kInnerProduct srclayers: 'rows' "
                        "innerproduct_conf { num_output: 60 bias_term: false } param { "
                        "share_from: 'w' } }",
                    in = "layer { name: 'rows' type: kDummy dummy_conf { input: true shape: 6 "
                         "shape: 50 } } layer { name: 'in' type: kRNNDummy rnn_dummy_conf { shape: "
                         "6 shape: 1 integer: true high: 5 } }";
  const auto values = FirstValues(in + table + scores);
  EXPECT_EQ(values.size(), 1u);
  EXPECT_GT(MomentsOf(values.at("w")).square, 0.9);
  EXPECT_EQ(FirstValues(in + scores + table), values);
}

}  // namespace
}  // namespace singa
