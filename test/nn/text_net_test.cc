// Tests unrolled nets that read a text: kCharRNN, kRNNLabel and the layers between them and the
// loss.
#include "io/temp_dir.h"
#include "nn/plan/net_sources.h"
#include "support/net_test.h"

namespace singa {
namespace {

class TextNet : public ::testing::Test {
 protected:
  TextNet()
      : text_(dir_.Write("text",
                         "abcaabbccabcba"
                         "cbacbbcaacbcba")),
        vocabulary_(dir_.Write("vocabulary", "abc")) {}

  // Returns a net of four time steps and two rows. `between`: the layer `onehot` or `embed`.
  std::string Net(const std::string& between, const std::string& reader = "") const {
    return StrCat(R"(unroll_len: 4
      layer { name: "text" type: kCharRNN char_rnn_conf { path: ")",
                  text_, R"(" vocab_path: ")", vocabulary_, R"(" unroll_len: 4 batchsize: 2 } }
      layer { name: "label" type: kRNNLabel srclayers: "text" )",
                  reader, R"( }
      layer { name: "in" srclayers: "text" )",
                  reader, " ", between, R"( }
      layer { name: "fc" type: kInnerProduct srclayers: "in" innerproduct_conf { num_output: 3 }
              param { name: "w" } param { name: "b" } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label" })");
  }
  static std::vector<float> Data(const Port& port) {
    return {port.data.data(), port.data.data() + port.data.size()};
  }

  const TempDir dir_;
  std::string text_, vocabulary_;
};

const char kOneHotConf[] = "type: kOneHot onehot_conf { vocab_size: 3 }";
const char kEmbeddingConf[] =
    "type: kEmbedding param { name: 't' } embedding_conf { vocab_size: 3 feature_dim: 2 }";

std::unique_ptr<TestNet> Make(const std::string& text, bool fold) {
  NetOptions options;
  options.fold = fold;
  return std::make_unique<TestNet>(text, options);
}

void ExpectWindowsAgree(const std::string& text) {
  const auto folded = Make(text, true), unfolded = Make(text, false);
  EXPECT_EQ(folded->net.nodes().size(), 5u);  // no splits: a text has no gradients to add
  EXPECT_EQ(unfolded->net.nodes().size(), 1u + 4 * 4);
  for (int step = 0; step < 4; ++step) {  // there are three windows: the text begins again
    for (TestNet* test : {folded.get(), unfolded.get()}) test->Forward();
    EXPECT_NEAR(folded->TakeLoss(), unfolded->TakeLoss(), 1e-6);
    for (TestNet* test : {folded.get(), unfolded.get()}) test->Backward();
    for (const auto& param : folded->params.params()) {
      const std::vector<float> a = folded->Grad(param->name()), b = unfolded->Grad(param->name());
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6) << param->name() << i;
    }
  }
}

TEST_F(TextNet, OneHotAgreesFoldedAndUnfolded) { ExpectWindowsAgree(Net(kOneHotConf)); }

TEST_F(TextNet, EmbeddingAgreesFoldedAndUnfolded) { ExpectWindowsAgree(Net(kEmbeddingConf)); }

TEST_F(TextNet, EmbeddingsGradientMatchesDifferences) {
  for (bool fold : {true, false}) {
    text_ = dir_.Write("short", "abcacbbaca");  // one window: every pass reads the same
    const auto test = Make(Net(kEmbeddingConf), fold);
    ExpectParamGradients(test.get());
  }
}

// The rows are "abcaa" and "cbacb".
TEST_F(TextNet, LabelsAreTheNextCharactersOfTheRows) {
  const auto test = Make(Net(kOneHotConf), true);
  test->Forward();
  const Port& label = test->net.Find("label")->out_ports[0];
  const int32_t* labels = label.label.as<int32_t>();
  EXPECT_EQ(std::vector<int>(labels, labels + label.label.size()),
            (std::vector<int>{1, 1, 2, 0, 0, 2, 0, 1}));
  EXPECT_EQ(label.span.batch, 2);
  const std::vector<float> rows = Data(test->net.Find("in")->out_ports[0]);
  EXPECT_EQ(std::vector<float>(rows.begin(), rows.begin() + 12),
            (std::vector<float>{1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0}));
}

TEST_F(TextNet, ATextHasOneEdgeToEachReader) {
  const std::vector<std::pair<int, int>> edges = EdgesOf(Make(Net(kOneHotConf), true)->net);
  EXPECT_EQ(edges, (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {2, 3}, {3, 4}, {1, 4}}));
}

TEST_F(TextNet, OneToAllIsTheSameAsInOldConfs) {
  ExpectWindowsAgree(Net(kOneHotConf, "unroll_conn_type: kUnrollOneToAll"));
  const auto plain = Make(Net(kOneHotConf), true);
  const auto old = Make(Net(kOneHotConf, "unroll_conn_type: kUnrollOneToAll"), true);
  plain->Forward(), old->Forward();
  EXPECT_EQ(plain->TakeLoss(), old->TakeLoss());
}

TEST_F(TextNet, ABadIndexOfAStoreIsNamedByItsRecord) {
  const std::string records = dir_.Write("records", "1\n2\n0\n7\n");
  TestNet test(StrCat("layer { name: 'data' type: kCSVInput store_conf { path: '", records,
                      "' batchsize: 2 shape: 1 has_label: false } } layer { name: 'in' "
                      "srclayers: 'data' ",
                      kOneHotConf, " }"));
  test.Forward();
  EXPECT_ERROR(test.Forward(), kExitBadData, records, "record 3: the index is 7, layer \"in\"");
}

TEST_F(TextNet, ABadIndexOfATextIsNamedByItsByte) {
  text_ = dir_.Write("rising", "aaaaaabaaaaaaaaaaaaaaa");
  for (bool fold : {true, false}) {
    const auto test = Make(Net("type: kOneHot onehot_conf { vocab_size: 1 }"), fold);
    test->Forward();  // bytes 0 to 3 and 11 to 14; next are 4 to 7
    EXPECT_ERROR(test->Forward(), kExitBadData, text_, "record 6: the index is 1, layer \"in\"");
  }
}

TEST_F(TextNet, AWorkerReadsItsRows) {
  ParamTable params;
  NetOptions options;
  options.parts = 2, options.worker = 1;
  singa::Net net = BuildNet(ParseNet(Net(kOneHotConf)), options, &params);
  Context ctx;
  OpenNet(ctx, NetArena::Allocate(ctx, PrepareNet(ctx, &net)), &net);
  for (const char* name : {"text", "label"}) net.ComputeFeature(ctx, *net.Find(name), kTrain);
  const Port& label = net.Find("label")->out_ports[0];
  EXPECT_EQ(Data(label), (std::vector<float>{1, 0, 2, 1}));  // "cbacb"
  EXPECT_EQ(label.span.first, 1);
  EXPECT_EQ(label.span.batch, 2);
}

}  // namespace
}  // namespace singa
