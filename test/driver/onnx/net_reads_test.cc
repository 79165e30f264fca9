// Tests which outputs of a net a model gives, and from which nodes' time steps they come.
// net_export_test tests the errors for layers that are not there.
#include "driver/onnx/net_reads.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "driver/onnx/net_export.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa::net_reads {
namespace {

using Texts = std::vector<std::string>;

std::string Layer(const std::string& name, const std::string& type, const std::string& sources,
                  const std::string& settings = "") {
  std::string text = StrCat("layer { name: '", name, "' type: ", type, " ", settings, " ");
  for (const char source : sources) text += StrCat("srclayers: '", std::string(1, source), "' ");
  return text + "} ";
}

// Layers have names of one letter: "d" reads records, and "t" a text.
class NetReadsTest : public testing::Test {
 protected:
  void Open(const std::string& text) {
    NetProto conf;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &conf)) << text;
    net_ = NetToExport(conf, &params_);
    reads_.emplace(net_);
  }
  static std::string Records() {
    return Layer("d", "kCSVInput", "", "store_conf { path: 'none' batchsize: 7 shape: 6 }");
  }
  static std::string Dense(const std::string& name, const std::string& source) {
    return Layer(name, "kInnerProduct", source,
                 StrCat("innerproduct_conf { num_output: 4 bias_term: false } param { name: 'w_",
                        name, "' }"));
  }
  // Returns a net of three time steps on one-hot rows, "x".
  std::string Text(const std::string& layers) const {
    return StrCat("unroll_len: 3 ",
                  Layer("t", "kCharRNN", "",
                        StrCat("char_rnn_conf { unroll_len: 3 batchsize: 2 path: 'none' ",
                               "vocab_path: '", dir_.Write("vocabulary", "abc"), "' }")),
                  Layer("x", "kOneHot", "t", "onehot_conf { vocab_size: 3 }"), layers);
  }
  static std::string Recurrent(const std::string& name, const std::string& source) {
    return Layer(name, "kRNN", source,
                 "rnn_conf { dim_hidden: 2 bias_term: false } param { name: 'v' } "
                 "param { name: 'u' }");
  }

  // Returns "x.0[1,3)" for steps 1 and 2 of output 0 of a node of x, for each piece.
  std::string Say(const Pieces& pieces) const {
    std::string said;
    for (const NetSource& piece : pieces)
      said += StrCat(said.empty() ? "" : " ", net_.nodes()[piece.node].full_name, ".", piece.output,
                     "[", piece.step, ",", piece.step + piece.steps, ")");
    return said;
  }
  Texts Say(const std::vector<Wanted>& outputs) const {
    Texts said;
    for (const Wanted& output : outputs) said.push_back(output.name + ": " + Say(output.pieces));
    return said;
  }
  int Place(const std::string& name) { return net_.Find(name)->place; }

  const TempDir dir_;
  ParamTable params_;
  Net net_;
  std::optional<NetReads> reads_;
};

TEST_F(NetReadsTest, ALayersOutputIsThatOfItsNode) {
  Open(Records() + Dense("f", "d"));
  EXPECT_EQ(Say(reads_->OutputsOf("f")), Texts{"f: f.0[0,1)"});
}

TEST_F(NetReadsTest, ALayerOfTwoOutputsGivesBoth) {
  Open(Records() + Layer("s", "kSlice", "d", "slice_conf { slice_dim: 1 num_slices: 2 }"));
  EXPECT_EQ(Say(reads_->OutputsOf("s")), (Texts{"s:0: s.0[0,1)", "s:1: s.1[0,1)"}));
}

TEST_F(NetReadsTest, AFoldedLayerGivesAllStepsInOnePiece) {
  Open(Text(Recurrent("r", "x")));
  EXPECT_EQ(Say(reads_->OutputsOf("r")), Texts{"r: r.0[0,3)"});
}

// "l" has one step, which each node of "r" reads. So "r" is not folded.
TEST_F(NetReadsTest, ALayerOfANodeAStepGivesThemInTheOrderOfTime) {
  Open(Text(Layer("l", "kReLU", "x", "unroll_len: 1 unroll_conn_type: kUnrollFirstToLast") +
            Recurrent("r", "l")));
  EXPECT_EQ(Say(reads_->OutputsOf("r")), Texts{"r: 0#r.0[0,1) 1#r.0[0,1) 2#r.0[0,1)"});
  EXPECT_EQ(Say(reads_->OutputsOf("l")), Texts{"l: l.0[0,1)"});
}

TEST_F(NetReadsTest, AReaderOfATextReadsItsStepsAsOneOutput) {
  Open(Text(Recurrent("r", "x")));
  EXPECT_EQ(Say(reads_->Of(Place("x"), 0)), "t.0[0,3)");
  EXPECT_EQ(Say(reads_->Of(Place("r"), 0)), "x.0[0,3)");
}

TEST_F(NetReadsTest, AReaderOfTheLastStepReadsThatAlone) {
  Open(Text(Recurrent("r", "x") +
            Layer("l", "kReLU", "r", "unroll_len: 1 unroll_conn_type: kUnrollFirstToLast")));
  EXPECT_EQ(Say(reads_->Of(Place("l"), 0)), "r.0[2,3)");
}

// Two layers read "f", by a split.
TEST_F(NetReadsTest, ScoresAreThoseOfTheLayerThatMakesThem) {
  Open(Records() + Dense("f", "d") + Layer("p", "kSoftmax", "f") +
       Layer("o", "kSoftmaxLoss", "fd"));
  EXPECT_EQ(net_.nodes()[reads_->Of(Place("o"), 0)[0].node].name.rfind("split(", 0), 0u);
  EXPECT_EQ(Say(reads_->OutputsOfLoss()), (Texts{"f: f.0[0,1)", "o: o.0[0,1)"}));
}

TEST_F(NetReadsTest, ALossOnNumbersGivesThemAlone) {
  Open(Records() + Dense("f", "d") + Dense("g", "d") + Layer("o", "kEuclideanLoss", "fg"));
  EXPECT_EQ(Say(reads_->OutputsOfLoss()), Texts{"f: f.0[0,1)"});
}

TEST_F(NetReadsTest, ALayerThatIsNotThereIsToldWithThoseOfTheConf) {
  Open(Records() + Dense("f", "d") + Dense("g", "d"));  // "d" has two readers, and so a split
  EXPECT_ERROR(reads_->OutputsOf("elsewhere"), kExitUsage,
               "-layer elsewhere: the test phase has no such layer; there are d, f, g");
}

}  // namespace
}  // namespace singa::net_reads
