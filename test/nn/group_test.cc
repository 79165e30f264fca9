// Tests that the workers of a group compute together the results of one worker with the whole
// batch. Small nets test every type of layer.
#include "support/group_net.h"

#include <set>

#include "support/nn/group_layers.h"

namespace singa {
namespace {

using group_layers::Cnn;
using group_layers::Conv;
using group_layers::Fc;
using group_layers::Join;
using group_layers::kImage;
using group_layers::kRow;
using group_layers::L;
using group_layers::Loss;
using group_layers::Params;
using group_layers::Path;
using group_layers::Records;
using group_layers::Recurrent;
using group_layers::Sequences;
using group_layers::Text;

struct GroupCase {
  const char* name;
  std::string net;
};
void PrintTo(const GroupCase& test, std::ostream* out) { *out << test.name; }

std::vector<GroupCase> Cases() {
  return {
      {"Mlp",
       Records(kRow) + Fc("a", "data", 8) + L("sig", "kSigmoid", "a") +
           L("drop", "kDropout", "sig", "dropout_conf { dropout_ratio: 0.4 }") +
           Fc("b", "drop", 5) + L("tanh", "kSTanh", "b") + Fc("c", "tanh", 3) +
           Loss("c", "data", "softmaxloss_conf { topk: 2 label_smoothing: 0.1 bits: true }") +
           "layer { name: 'hits' type: kAccuracy srclayers: 'c' srclayers: 'data' }" +
           L("best", "kArgSort", "c", "argsort_conf { topk: 2 }")},
      {"IgnoredLabels",
       Records(kRow) + Fc("a", "data", 3) +
           "layer { name: 'loss' type: kCudnnSoftmaxLoss srclayers: 'a' srclayers: "
           "'data' softmaxloss_conf { scale: 2 ignore_label: 1 } }"},
      {"Cnn", Cnn("") + Fc("c", "pool2", 3) + Loss("c", "data")},
      {"CnnOfOldNames",
       Cnn("old", L("soft", "kCudnnSoftmax", "pool2") +
                      L("act", "kCudnnActivation", "soft", "activation_conf { type: TANH }") +
                      Fc("c", "act", 3) + Loss("c", "data"))},
      {"GroupsOfChannels",
       Records("shape: 4 shape: 5 shape: 4") +
           L("deep", "kConvolution", "data",
             Params("deep", 2) + "convolution_conf { num_filters: 4 group: 4 kernel: 3 pad: 1 }") +
           L("up", "kDeconvolution", "deep",
             Params("up", 2) + "convolution_conf { num_filters: 6 group: 2 kernel: 2 stride: 2 }") +
           L("sig", "kSigmoid", "up") +
           L("wide", "kConvolution", "sig",
             Params("wide", 1) + "convolution_conf { num_filters: 3 kernel: 3 dilation: 2 }") +
           L("last", "kDeconvolution", "wide",
             Params("last", 1) + "convolution_conf { num_filters: 2 kernel: 3 pad: 1 }") +
           L("act", "kSigmoid", "last") +
           L("all", "kPooling", "act", "pooling_conf { pool: AVG ceil_mode: true }") +
           Fc("c", "all", 3) + Loss("c", "data")},
      {"BatchNormOfRows",
       Records(kRow) + L("first", "kBM", "data", Params("first", 4)) + Fc("a", "first", 5) +
           L("bn", "kBM", "a", Params("bn", 4)) + L("relu", "kReLU", "bn") +
           L("act", "kActivation", "relu", "activation_conf { type: SIGMOID }") +
           Fc("c", "act", 3) + L("last", "kBM", "c", Params("last", 4)) + Loss("last", "data")},
      {"LayerNormOfRows", Records(kRow) + L("first", "kLayerNorm", "data") + Fc("a", "first", 5) +
                              L("norm", "kLayerNorm", "a", "layer_norm_conf { epsilon: 0.01 }") +
                              L("relu", "kReLU", "norm") + Fc("c", "relu", 3) + Loss("c", "data")},
      {"LayerNormOfImages",
       Records(kImage) + Conv("kConvolution", "conv", "data") + L("norm", "kLayerNorm", "conv") +
           Conv("kConvolution", "conv2", "norm") + Fc("c", "conv2", 3) + Loss("c", "data")},
      {"ResidualBlock", Records(kImage) + Conv("kConvolution", "conv", "data") +
                            L("bn", "kBM", "conv", Params("bn", 4)) + L("relu", "kReLU", "bn") +
                            Conv("kConvolution", "conv2", "relu") +
                            L("bn2", "kBM", "conv2", Params("bn2", 4)) +
                            Join("sum", "bn2", "relu") + L("relu2", "kReLU", "sum") +
                            Fc("c", "relu2", 3) + Loss("c", "data")},
      {"ProductsAndMaxima",
       Records(kRow) + Fc("a", "data", 5) + L("gate", "kSigmoid", "a") +
           Join("product", "a", "gate", "operation: PROD") +
           L("gelu", "kActivation", "product", "activation_conf { type: GELU }") +
           Join("most", "gelu", "a", "operation: MAX") +
           L("silu", "kActivation", "most", "activation_conf { type: SILU }") +
           Join("sum", "silu", "gate", "coeff: 2 coeff: -0.5") + Fc("c", "sum", 3) +
           Loss("c", "data")},
      {"SqueezeAndExcitation",
       Records(kImage) + Conv("kConvolution", "conv", "data") +
           L("swish", "kActivation", "conv", "activation_conf { type: HARD_SWISH }") +
           L("mean", "kPooling", "swish", "pooling_conf { pool: AVG global_pooling: true }") +
           L("squeeze", "kConvolution", "mean",
             Params("squeeze", 2) + "convolution_conf { num_filters: 5 kernel: 1 }") +
           L("gate", "kActivation", "squeeze", "activation_conf { type: HARD_SIGMOID }") +
           Join("scaled", "swish", "gate", "operation: PROD") +
           L("six", "kActivation", "scaled", "activation_conf { type: RELU6 }") +
           Fc("c", "six", 3) + Loss("c", "data")},
      {"ResidualSteps",
       Text(3) + L("rnn", "kGRU", "in", Params("rnn", 9) + "gru_conf { dim_hidden: 4 }") +
           Join("sum", "rnn", "in") + Fc("fc", "sum", 5) + Loss("fc", "label")},
      {"Autoencoder",
       Records(kRow) + Fc("a", "data", 3) + L("sig", "kSigmoid", "a") + Fc("b", "sig", 6) +
           "layer { name: 'loss' type: kEuclideanLoss srclayers: 'b' srclayers: 'data' }"},
      {"SlicesOfUnits",
       Records(kRow) + Fc("a", "data", 6) +
           L("cut", "kSlice", "a", "slice_conf { slice_dim: 1 num_slices: 2 }") +
           L("split", "kSplit", "a", "split_conf { num_splits: 2 }") +
           "layer { name: 'join' type: kConcate srclayers: 'cut' srclayers: 'cut' srclayers: "
           "'split' srclayers: 'split' concate_conf { concate_dim: 1 } }" +
           L("drop", "kDropout", "join") + Fc("c", "drop", 3) + Loss("c", "data")},
      {"Crops", Records(kImage) +
                    L("crop", "kImagePreprocess", "data",
                      "rgbimage_conf { cropsize: 4 mirror: true pad: 2 scale: 0.5 }") +
                    Fc("c", "crop", 3) + Loss("c", "data")},
      {"Csv", StrCat("layer { name: 'data' type: kCSVInput store_conf { path: ", Path("csv"),
                     " batchsize: 7 shape: 2 } }\n") +
                  Fc("c", "data", 3) + Loss("c", "data")},
      {"RealTargets",
       StrCat("layer { name: 'data' type: kCSVInput store_conf { path: ", Path("csv"),
              " batchsize: 7 shape: 2 num_targets: 1 shuffle: true } }\n") +
           Fc("a", "data", 1) + Fc("b", "a", 1) +
           "layer { name: 'loss' type: kEuclideanLoss srclayers: 'b' srclayers: 'data:1' }"},
      {"ManyLabels",
       StrCat("layer { name: 'data' type: kCSVInput store_conf { path: ", Path("shares"),
              " batchsize: 7 shape: 1 num_targets: 2 } }\n") +
           Fc("a", "data", 4) + Fc("c", "a", 2) +
           "layer { name: 'loss' type: kSigmoidCrossEntropyLoss srclayers: 'c' srclayers: 'data:1' "
           "sigmoid_cross_entropy_conf { pos_weight: 2 pos_weight: 0.5 } }"},
      {"ClassWeights",
       Records(kRow) + Fc("a", "data", 3) +
           Loss("a", "data",
                "softmaxloss_conf { class_weight: [0.25, 3, 1] label_smoothing: 0.1 scale: 2 }")},
      {"ClassWeightsOfSteps",
       Sequences() + Fc("fc", "rnn", 4) +
           Loss("fc", "label",
                "softmaxloss_conf { ignore_label: -1 class_weight: [0.25, 3, 1, 0.5] }")},
      {"OldInputs",
       StrCat("layer { name: 'data' type: kShardData sharddata_conf { path: ", Path("shard.dat"),
              " batchsize: 7 random_skip: 5 } }\n") +
           L("image", "kMnist", "data", "mnist_conf { norm_a: 255 norm_b: 0.5 }") +
           L("crop", "kRGBImage", "image", "rgbimage_conf { cropsize: 3 mirror: true }") +
           L("label", "kLabel", "data") + Fc("c", "crop", 3) + Loss("c", "label")},
      {"Dummies", "layer { name: 'in' type: kDummy dummy_conf { input: true shape: 7 shape: 5 } }" +
                      Fc("a", "in", 3) + L("out", "kDummy", "a", "dummy_conf { output: true }")},
      {"Samples", Records(kRow) + L("p", "kSoftmax", "data") +
                      L("draw", "kSample", "p", "sample_conf { temperature: 0.7 }") +
                      L("hot", "kOneHot", "draw", "onehot_conf { vocab_size: 6 }")},
      {"SamplesOfSteps",
       Text(3) + Fc("a", "in", 5) + L("p", "kSoftmax", "a") + L("draw", "kSample", "p")},
      {"ReadsItsOwnOutput",
       "layer { name: 'first' type: kRNNDummy rnn_dummy_conf { dynamic_srclayer: 'draw' shape: 7 "
       "shape: 1 integer: true high: 5 } }" +
           L("in", "kEmbedding", "first",
             Params("in", 1) + "embedding_conf { vocab_size: 5 feature_dim: 4 }") +
           L("rnn", "kGRU", "in", Params("rnn", 9) + "gru_conf { dim_hidden: 3 }") +
           Fc("a", "rnn", 5) + L("p", "kSoftmax", "a") + L("draw", "kSample", "p")},
      {"NewValuesEachBatch",
       "layer { name: 'first' type: kRNNDummy rnn_dummy_conf { shape: 7 shape: 3 low: -1 high: 1 } "
       "}" +
           Fc("a", "first", 5)},
      {"Gru", Recurrent("kGRU", "gru_conf", 9)},
      {"Lstm", Recurrent("kLSTM", "lstm_conf", 12)},
      {"Rnn", Recurrent("kRNN", "rnn_conf", 3)},
      {"Attention", Text(4) +
                        L("mix", "kAttention", "in",
                          Params("mix", 4) + "attention_conf { num_heads: 2 dropout_ratio: 0.3 }") +
                        Fc("fc", "mix", 5) + Loss("fc", "label")},
      {"AttentionOnAllSteps",
       Text(3) +
           L("mix", "kAttention", "in",
             Params("mix", 2) + "attention_conf { causal: false bias_term: false }") +
           Fc("fc", "mix", 5) + Loss("fc", "label")},
      {"CarriedGru", Recurrent("kGRU", "gru_conf", 9, "carry_state: true")},
      {"CarriedLstm", Recurrent("kLSTM", "lstm_conf", 12, "carry_state: true")},
      {"CarriedRnn", Recurrent("kRNN", "rnn_conf", 3, "carry_state: true")},
      {"BatchNormOfSteps",
       Text(3) + L("bn", "kBM", "in", Params("bn", 4)) +
           L("rnn", "kGRU", "bn", Params("rnn", 9) + "gru_conf { dim_hidden: 3 }") +
           Fc("fc", "rnn", 5) + Loss("fc", "label")},
      {"PositionsOfSteps",
       Text(3) +
           L("position", "kPositionEmbedding", "in", "position_embedding_conf { max_steps: 4 }") +
           L("norm", "kLayerNorm", "position") +
           L("rnn", "kGRU", "norm", Params("rnn", 9) + "gru_conf { dim_hidden: 3 }") +
           Fc("fc", "rnn", 5) + Loss("fc", "label")},
      {"SequencesOfUnevenLength",
       Sequences() + Fc("fc", "rnn", 4) +
           Loss("fc", "label", "softmaxloss_conf { ignore_label: -1 }") +
           "layer { name: 'hits' type: kAccuracy srclayers: 'fc' srclayers: 'label' argsort_conf { "
           "ignore_label: -1 } }"},
      {"LastStepAlone",
       Records(kRow) +
           L("steps", "kTimeSteps", "data", "unroll_len: 1 time_steps_conf { unroll_len: 6 }") +
           L("rnn", "kLSTM", "steps",
             "unroll_len: 6 " + Params("rnn", 12) + "lstm_conf { dim_hidden: 3 }") +
           Fc("fc", "rnn", 3, "unroll_conn_type: kUnrollFirstToLast") + Loss("fc", "data")},
  };
}

class Group : public ::testing::TestWithParam<GroupCase> {};
INSTANTIATE_TEST_SUITE_P(Nets, Group, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(Group, OfSeveralWorkersIsOne) {
  for (int workers : {2, 3, 7})
    for (bool fold : {true, false})
      for (bool reuse : {true, false}) {
        SCOPED_TRACE(StrCat(workers, " workers", fold ? ", folded" : "", reuse ? ", reuse" : ""));
        if (!fold && GetParam().net.find("carry_state") != std::string::npos) continue;
        NetOptions options;
        options.fold = fold;
        options.reuse = reuse;
        try {
          ExpectGroupIsOne(GetParam().net, workers, options, [](TestNet& net) {
            net.Forward();
            net.Backward();
          });
        } catch (const Error& error) {
          ADD_FAILURE() << error.what();
        }
        if (HasFailure()) return;
      }
}

TEST(GroupNets, HaveEveryTypeOfLayer) {
  // These types are tested elsewhere: bridges, which are pieces of the partition by units; the
  // reader that kShardData has; layers of test/train/group_cd_test.cc; layers that only a test may
  // have.
  std::set<std::string> known = {"kBridgeSrc", "kBridgeDst", "kLMDBData",     "kRBMVis",
                                 "kRBMHid",    "kCSVOutput", "kRecordOutput", "kCharRNNOutput"};
  for (const GroupCase& test : Cases()) {
    const NetProto net = ParseNet(test.net);
    for (const LayerProto& layer : net.layer()) known.insert(LayerType_Name(layer.type()));
  }
  for (const std::string& type : Layers().Names()) EXPECT_TRUE(known.count(type)) << type;
}

TEST(GroupNets, CutRowsAsTheListSays) {
  const std::string net = Records(kRow, "batchsize: 1 batchsize: 4 batchsize: 2") +
                          Fc("a", "data", 8) + L("drop", "kDropout", "a") +
                          L("bn", "kBM", "drop", Params("bn", 4)) + Fc("c", "bn", 3) +
                          Loss("c", "data");
  ExpectGroupIsOne(net, 3, {}, [](TestNet& test) {
    test.Forward();
    test.Backward();
  });
}

}  // namespace
}  // namespace singa
