// Tests that an unrolled net computes the same folded (one node for all steps) and unfolded (a node
// for each step).
#include "support/net_test.h"
#include "support/proof_gru.h"
#include "support/proof_layers.h"

namespace singa {
namespace {
SINGA_REGISTER_LAYER(TestGru, TestGru);

// TestOpaque is like TestLinear, but it is a custom layer that says nothing about its rows, so it
// cannot fold.
class TestOpaque final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      out[0]->data.data()[i] = 3 * in[0]->data.data()[i];
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      in[0]->grad.data()[i] = 3 * out[0]->grad.data()[i];
  }
};
SINGA_REGISTER_LAYER(TestOpaque, TestOpaque);

std::string GruNet(const std::string& between, const std::string& top) {
  return R"(unroll_len: 3
    layer { name: "text" user_type: "TestInput" unroll_len: 1 split_conf { num_splits: 3 }
            dummy_conf { shape: 2 shape: 4 } }
    layer { name: "embed" user_type: "TestLinear" srclayers: "text" param { name: "e" }
            innerproduct_conf { num_output: 5 } }
    layer { name: "gru" user_type: "TestGru" srclayers: "embed" param { name: "w" }
            param { name: "u" } gru_conf { dim_hidden: 3 } })" +
         between + R"(
    layer { name: "out" user_type: "TestLinear" srclayers: ")" +
         top + R"(" param { name: "o" }
            innerproduct_conf { num_output: 2 } }
    layer { name: "loss" user_type: "TestLoss" srclayers: "out" })";
}

TEST(Fold, ThreeStepsOfAGruAgree) {
  // Unfolded, the net has the input, 3 nodes of each of 4 layers, and a split of each state.
  ExpectBothFormsAgree(GruNet("", "gru"), 5, 16);
}

TEST(Fold, StackedGrusAgree) {
  ExpectBothFormsAgree(GruNet(R"(layer { name: "gru2" user_type: "TestGru" srclayers: "gru"
      param { name: "w2" } param { name: "u2" } gru_conf { dim_hidden: 3 } })",
                              "gru2"),
                       6, 22);
}

TEST(Fold, ALayerThatCannotFoldStandsBetweenFoldedOnes) {
  const std::string text = GruNet(R"(layer { name: "opaque" user_type: "TestOpaque"
      srclayers: "gru" })",
                                  "opaque");
  ExpectBothFormsAgree(text, 8, 19);
}

TEST(Fold, PositionsAndNormsOfStepsAgree) {
  ExpectBothFormsAgree(GruNet(R"(layer { name: "position" type: kPositionEmbedding
      srclayers: "gru" position_embedding_conf { max_steps: 4 } }
      layer { name: "norm" type: kLayerNorm srclayers: "position" })",
                              "norm"),
                       7, 22);
}

TEST(Fold, ADecoderStartsFromTheEncodersLastState) {
  ExpectBothFormsAgree(GruNet(R"(layer { name: "decoder" user_type: "TestGru"
      srclayers: "embed" srclayers: "gru" param { name: "w2" } param { name: "u2" }
      unroll_conn_type: kUnrollOneToOne unroll_conn_type: kUnrollFirstToLast
      gru_conf { dim_hidden: 3 } })",
                              "decoder"),
                       7, 22);
}

TEST(Fold, AReaderShiftedByOneStepHasNoSourceAtFirst) {
  NetOptions unfold;
  unfold.fold = false;
  TestNet test(R"(unroll_len: 2
    layer { name: "text" user_type: "TestInput" unroll_len: 1 split_conf { num_splits: 2 }
            dummy_conf { shape: 2 shape: 3 } }
    layer { name: "fc" user_type: "TestLinear" srclayers: "text" param { name: "w" }
            innerproduct_conf { num_output: 3 } }
    layer { name: "loss" user_type: "TestLoss" srclayers: "fc" srclayers: "fc" shift: 0 shift: 1 })");
  EXPECT_EQ(test.net.nodes().back().in.size(), 2u);
  ExpectParamGradients(&test);
}

TEST(Fold, NamesInFilesCarryNoStep) {
  NetOptions unfold;
  unfold.fold = false;
  TestNet test(GruNet("", "gru"), unfold);
  std::vector<std::string> names;
  for (const auto& param : test.params.params()) names.push_back(param->name());
  EXPECT_EQ(names, (std::vector<std::string>{"e", "w", "u", "o"}));
}
}  // namespace
}  // namespace singa
