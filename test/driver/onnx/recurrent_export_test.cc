// Tests the content of exported models with time steps. test/system/onnx_outputs.py tests their
// results.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>

#include "driver/onnx/net_export.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using Numbers = std::vector<float>;

class OnnxRecurrent : public testing::Test {
 protected:
  std::string Layer(const std::string& name, const std::string& type, const std::string& sources,
                    const std::string& settings = "") const {
    return StrCat("layer { name: '", name, "' type: ", type, " ", sources, " ", settings, " } ");
  }
  static std::string From(const std::string& source) { return StrCat("srclayers: '", source, "'"); }

  // Returns a net of 3 time steps on one-hot rows of 4, "x".
  std::string Text(const std::string& layers) {
    dir_.Write("vocabulary", std::string("a\n\xe9\0", 4));
    return StrCat("unroll_len: 3 ",
                  Layer("text", "kCharRNN", "",
                        StrCat("char_rnn_conf { unroll_len: 3 batchsize: 2 path: 'none' ",
                               "vocab_path: '", dir_.Path("vocabulary"), "' }")),
                  Layer("x", "kOneHot", From("text"), "onehot_conf { vocab_size: 4 }"), layers);
  }
  // Returns a recurrent layer "r" with two hidden units and `params` params.
  std::string Recurrent(const std::string& op, int params, const std::string& settings = "",
                        const std::string& sources = "srclayers: 'x'") const {
    std::string field = op;
    std::transform(field.begin(), field.end(), field.begin(), ::tolower);
    std::string more = StrCat(field, "_conf { dim_hidden: 2 ", settings, " } ");
    for (int i = 0; i < params; ++i) more += StrCat("param { name: 'p", i, "' } ");
    return Layer("r", "k" + op, sources, more);
  }

  // Exports a net in which every number of param i is i + 1.
  onnx::ModelProto Export(const std::string& text, const std::string& layer) {
    NetProto conf;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &conf));
    ParamTable params;
    const Net net = NetToExport(conf, &params);
    float value = 0;
    for (const auto& param : params.params()) {
      param->data = Tensor::Allocate(param->shape());
      std::fill_n(param->data.data(), param->size(), ++value);
    }
    onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(ExportNet(net, layer).Serialize("net")));
    return model;
  }

  static const onnx::NodeProto& Node(const onnx::ModelProto& model, const std::string& op) {
    for (const auto& node : model.graph().node())
      if (node.op_type() == op) return node;
    ADD_FAILURE() << "no " << op;
    return model.graph().node(0);
  }
  static int Count(const onnx::ModelProto& model, const std::string& op) {
    return static_cast<int>(std::count_if(model.graph().node().begin(), model.graph().node().end(),
                                          [&](const auto& node) { return node.op_type() == op; }));
  }

  // Returns the first number of each row of h, or of each h numbers of a bias.
  static Numbers Blocks(const onnx::ModelProto& model, const std::string& name) {
    for (const auto& tensor : model.graph().initializer()) {
      if (tensor.name() != name) continue;
      Numbers all(tensor.raw_data().size() / sizeof(float)), blocks;
      std::memcpy(all.data(), tensor.raw_data().data(), tensor.raw_data().size());
      const int64_t row = tensor.dims_size() == 3 ? tensor.dims(2) : 1;
      for (size_t i = 0; i < all.size(); i += 2 * row) blocks.push_back(all[i]);
      return blocks;
    }
    ADD_FAILURE() << "no constant " << name;
    return {};
  }

  // Returns name and shape, such as "h (T, N, 2)".
  static std::string Dims(const onnx::ValueInfoProto& value) {
    std::string text;
    for (const auto& dim : value.type().tensor_type().shape().dim())
      text += (text.empty() ? "" : ", ") +
              (dim.has_dim_param() ? dim.dim_param() : std::to_string(dim.dim_value()));
    return StrCat(value.name(), " (", text, ")");
  }
  template <typename Values>
  static std::vector<std::string> AllDims(const Values& values) {
    std::vector<std::string> all;
    for (const auto& value : values) all.push_back(Dims(value));
    return all;
  }

  TempDir dir_;
};

using Strings = std::vector<std::string>;

TEST_F(OnnxRecurrent, TakesIndicesOfATextOfAnyLengthAndGivesAllSteps) {
  const auto model = Export(Text(Recurrent("RNN", 3)), "r");
  EXPECT_EQ(AllDims(model.graph().input()), Strings{"text (T, N)"});
  EXPECT_EQ(model.graph().input(0).type().tensor_type().elem_type(), onnx::TensorProto::INT64);
  EXPECT_EQ(AllDims(model.graph().output()), Strings{"r (T, N, 2)"});
  EXPECT_EQ(Count(model, "OneHot"), 1);
}

TEST_F(OnnxRecurrent, PutsGruGatesInOrderAndTheResetGateBehindTheProduct) {
  const auto model = Export(Text(Recurrent("GRU", 9)), "r");
  EXPECT_EQ(Blocks(model, "r#W"), (Numbers{1, 2, 3}));
  EXPECT_EQ(Blocks(model, "r#R"), (Numbers{4, 5, 6}));
  EXPECT_EQ(Blocks(model, "r#B"), (Numbers{7, 8, 9, 0, 0, 0}));
  const auto& gru = Node(model, "GRU");
  EXPECT_EQ(gru.attribute(0).name(), "linear_before_reset");
  EXPECT_EQ(gru.attribute(0).i(), 1);
  EXPECT_EQ(gru.input_size(), 4);
}

TEST_F(OnnxRecurrent, PutsLstmGatesInOnnxOrder) {
  const auto model = Export(Text(Recurrent("LSTM", 12)), "r");
  EXPECT_EQ(Blocks(model, "r#W"), (Numbers{1, 4, 2, 3}));
  EXPECT_EQ(Blocks(model, "r#R"), (Numbers{5, 8, 6, 7}));
  EXPECT_EQ(Blocks(model, "r#B"), (Numbers{9, 12, 10, 11, 0, 0, 0, 0}));
}

TEST_F(OnnxRecurrent, LeavesOutABiasThatIsNotThere) {
  EXPECT_EQ(Node(Export(Text(Recurrent("GRU", 6)), "r"), "GRU").input_size(), 3);
  EXPECT_EQ(Node(Export(Text(Recurrent("RNN", 2, "bias_term: false")), "r"), "RNN").input_size(),
            3);
}

TEST_F(OnnxRecurrent, MakesACarriedStateAnInputAndAnOutput) {
  const auto model = Export(Text(Recurrent("LSTM", 12, "carry_state: true")), "r");
  EXPECT_EQ(AllDims(model.graph().input()),
            (Strings{"text (T, N)", "r.state (1, N, 2)", "r.cell (1, N, 2)"}));
  EXPECT_EQ(AllDims(model.graph().output()),
            (Strings{"r (T, N, 2)", "r.next_state (1, N, 2)", "r.next_cell (1, N, 2)"}));
}

TEST_F(OnnxRecurrent, TellsStatesStepsAndTheVocabularyAsHex) {
  const auto model = Export(Text(Recurrent("RNN", 3, "carry_state: true")), "r");
  std::map<std::string, std::string> told;
  for (const auto& entry : model.metadata_props()) told[entry.key()] = entry.value();
  EXPECT_EQ(told["vocabulary"], "610ae900");
  EXPECT_EQ(told["time_steps"], "any number; the job has 3");
  EXPECT_NE(told["r.state"].find("then r.next_state of the window before"), std::string::npos);
}

TEST_F(OnnxRecurrent, ReadsTheLastStepOfATextOfAnyLength) {
  const std::string last =
      "unroll_len: 1 unroll_conn_type: kUnrollFirstToLast "
      "innerproduct_conf { num_output: 5 } param { name: 'w' } "
      "param { name: 'b' }";
  const auto model =
      Export(Text(Recurrent("RNN", 3) + Layer("top", "kInnerProduct", From("r"), last)), "top");
  EXPECT_EQ(AllDims(model.graph().input()), Strings{"text (T, N)"});
  EXPECT_EQ(AllDims(model.graph().output()), Strings{"top (N, 5)"});
  EXPECT_EQ(Count(model, "Slice"), 1);
}

TEST_F(OnnxRecurrent, AddsAsManyPositionsAsTheTextHasSteps) {
  const auto model = Export(Text(Layer("position", "kPositionEmbedding", From("x"),
                                       "position_embedding_conf { max_steps: 5 }")),
                            "position");
  EXPECT_EQ(AllDims(model.graph().input()), Strings{"text (T, N)"});
  EXPECT_EQ(AllDims(model.graph().output()), Strings{"position (T, N, 4)"});
  EXPECT_EQ(Count(model, "Slice"), 2);  // of the text's shape, and of the table
  const auto& tables = model.graph().initializer();
  EXPECT_EQ(1, std::count_if(tables.begin(), tables.end(), [](const auto& table) {
              return table.name() == "position_0" && table.dims(0) == 5;
            }));
}

TEST_F(OnnxRecurrent, FixesTheNumberOfStepsWhereALayerReadsEachOfThem) {
  const std::string all =
      "unroll_len: 1 unroll_conn_type: kUnrollOneToAll "
      "concate_conf { concate_dim: 1 }";
  const auto model =
      Export(Text(Recurrent("RNN", 3) + Layer("top", "kConcate", From("r"), all)), "top");
  EXPECT_EQ(AllDims(model.graph().input()), Strings{"text (3, N)"});
  EXPECT_EQ(AllDims(model.graph().output()), Strings{"top (N, 6)"});
  EXPECT_EQ(Count(model, "Slice"), 3);
}

TEST_F(OnnxRecurrent, WritesALayerThatRunsAsANodeAStepAsOneOperatorAStep) {
  const std::string first = "unroll_len: 1 unroll_conn_type: kUnrollFirstToLast";
  const auto model = Export(
      Text(Layer("last", "kReLU", From("x"), first) + Recurrent("LSTM", 12, "", From("last"))),
      "r");
  EXPECT_EQ(AllDims(model.graph().output()), Strings{"r (3, N, 2)"});
  EXPECT_EQ(Count(model, "LSTM"), 3);
  std::vector<int> inputs;  // the first step has no earlier state
  for (const auto& node : model.graph().node())
    if (node.op_type() == "LSTM") inputs.push_back(node.input_size());
  EXPECT_EQ(inputs, (std::vector<int>{4, 7, 7}));
}

TEST_F(OnnxRecurrent, JoinsTheStepsOfALossThatRunsAsANodeAStep) {
  const std::string label = "unroll_len: 1 store_conf { path: 'none' batchsize: 2 shape: 5 }";
  const auto model = Export(Text(Recurrent("RNN", 3) + Layer("data", "kCSVInput", "", label) +
                                 Layer("loss", "kSoftmaxLoss", From("r") + From("data"))),
                            "");
  EXPECT_EQ(AllDims(model.graph().input()), Strings{"text (3, N)"});
  EXPECT_EQ(AllDims(model.graph().output()), (Strings{"r (3, N, 2)", "loss (3, N, 2)"}));
  EXPECT_EQ(Count(model, "Softmax"), 3);
  EXPECT_EQ(Count(model, "Concat"), 1);
}

TEST_F(OnnxRecurrent, GivesParamsThatTwoLayersShareOnce) {
  std::string shared = "rnn_conf { dim_hidden: 4 } ", own = shared;
  for (int i = 0; i < 3; ++i) {
    own += StrCat("param { name: 'p", i, "' } ");
    shared += StrCat("param { name: 'q", i, "' share_from: 'p", i, "' } ");
  }
  const auto model = Export(
      Text(Layer("low", "kRNN", From("x"), own) + Layer("high", "kRNN", From("low"), shared)),
      "high");
  ASSERT_EQ(Count(model, "RNN"), 2);
  Strings weights;
  for (const auto& node : model.graph().node())
    if (node.op_type() == "RNN") weights.push_back(node.input(1));
  EXPECT_EQ(weights, (Strings{"low#W", "low#W"}));
}

TEST_F(OnnxRecurrent, RefusesANetThatReadsItsOwnOutput) {
  const std::string text =
      Layer("dummy", "kRNNDummy", "", "rnn_dummy_conf { shape: 1 dynamic_srclayer: 'best' }") +
      Layer("x", "kOneHot", From("dummy"), "onehot_conf { vocab_size: 4 }") +
      Layer("best", "kArgSort", From("x"));
  for (const std::string layer : {"", "best"}) {
    try {
      Export(text, layer);
      ADD_FAILURE() << "it was exported";
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.path(), "neuralnet.layer[dummy].rnn_dummy_conf.dynamic_srclayer");
      EXPECT_NE(error.message().find("reads its own output, \"best\""), std::string::npos);
    }
  }
}

TEST_F(OnnxRecurrent, NeedsTheVocabulary) {
  const std::string text = Text(Recurrent("RNN", 3));
  std::filesystem::remove(dir_.Path("vocabulary"));
  EXPECT_THROW(Export(text, "r"), FileError);
}

}  // namespace
}  // namespace singa
