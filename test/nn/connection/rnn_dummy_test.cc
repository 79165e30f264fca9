// Tests nets that read their own output of the previous batch.
#include <cstdio>
#include <fstream>

#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "support/net_test.h"
#include "support/proof_layers.h"

namespace singa {
namespace {

// In TestNext output 0 is 2 x + 1.
class TestNext final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      out[0]->data.data()[i] = 2 * in[0]->data.data()[i] + 1;
  }
};
SINGA_REGISTER_LAYER(TestNext, TestNext);

std::string DummyNet(const std::string& dummy, const std::string& between = "") {
  return R"(layer { name: "first" type: kRNNDummy rnn_dummy_conf { )" + dummy + " } }" + between +
         R"(layer { name: "next" user_type: "TestNext" srclayers: "first" })";
}

NetOptions Testing() {
  NetOptions options;
  options.phase = kTest;
  options.gradients = false;
  return options;
}

// Returns the dummy's output, computed back from the next layer's. The dummy's own memory is used
// again by then.
float First(TestNet* test, int64_t row = 0) {
  return (test->net.Find("next")->out[0]->data.data()[row] - 1) / 2;
}

TEST(RnnDummy, ReadsWhatTheLayerGaveForTheBatchBefore) {
  // The later layers would overwrite the values that are read back, if these did not last.
  TestNet test(DummyNet("dynamic_srclayer: \"next\" shape: 2 shape: 1 low: 3 high: 3") + R"(
      layer { name: "more" user_type: "TestNext" srclayers: "next" }
      layer { name: "most" user_type: "TestNext" srclayers: "more" })",
               Testing());
  for (float expected : {3.f, 7.f, 15.f, 31.f}) {
    test.Forward();
    EXPECT_EQ(First(&test), expected);
    EXPECT_EQ(First(&test, 1), expected);
  }
  test.net.BeginPass(test.ctx, 0);
  test.Forward();
  EXPECT_EQ(First(&test), 3);
}

TEST(RnnDummy, WithoutALayerToReadDrawsAnewEachBatch) {
  TestNet test(DummyNet("shape: 1000 shape: 1 low: 2 high: 5 integer: true"), Testing());
  std::vector<float> before;
  for (int i = 0; i < 3; ++i) {
    test.Forward();
    const Tensor& y = test.net.Find("first")->out[0]->data;
    std::vector<int> count(6);
    for (int64_t r = 0; r < y.size(); ++r) {
      ASSERT_TRUE(y.data()[r] == 2 || y.data()[r] == 3 || y.data()[r] == 4) << y.data()[r];
      ++count[static_cast<size_t>(y.data()[r])];
    }
    for (int value : {2, 3, 4}) EXPECT_NEAR(count[value], 333, 60);
    const std::vector<float> values(y.data(), y.data() + y.size());
    EXPECT_NE(values, before);
    before = values;
  }
}

TEST(RnnDummy, BeginsWithThePrime) {
  const TempDir folder;
  std::ofstream(folder.Path("vocab")) << "xyz\n";
  const std::string vocab = "\" vocab_path: \"" + folder.Path("vocab") + "\"";
  TestNet test(DummyNet("dynamic_srclayer: \"next\" shape: 1 prime: \"zx\\n" + vocab), Testing());
  for (float expected : {2.f, 0.f, 3.f, 7.f}) {
    test.Forward();
    EXPECT_EQ(First(&test), expected);
  }
  try {
    TestNet other(DummyNet("shape: 1 prime: \"q" + vocab), Testing());
    ADD_FAILURE() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("lacks \"q\", which prime of layer \"first\" has"),
              std::string::npos)
        << error.what();
  }
}

TEST(RnnDummy, APassThatGoesBackByHalfAWindowGivesTheSameBatches) {
  TestNet test(DummyNet("dynamic_srclayer: \"next\" shape: 1 low: 3 high: 3 window: 4"), Testing());
  for (int i = 0; i < 3; ++i) test.Forward();
  test.net.BeginPass(test.ctx, 1);
  for (float expected : {7.f, 15.f, 31.f, 63.f}) {
    test.Forward();
    EXPECT_EQ(First(&test), expected);
  }
  test.net.BeginPass(test.ctx, 0);
  test.Forward();
  EXPECT_EQ(First(&test), 3);
}

TEST(RnnDummy, CarriesTheStateOfRecurrentLayers) {
  const std::string gru = R"(
      layer { name: "gru" type: kGRU srclayers: "first" gru_conf { dim_hidden: 2 bias_term: false }
              param { name: "a" } param { name: "b" } param { name: "c" } param { name: "d" }
              param { name: "e" } param { name: "f" } })";
  TestNet test(DummyNet("dynamic_srclayer: \"gru\" shape: 1 shape: 2 low: 1 high: 1", gru),
               Testing());
  EXPECT_TRUE(test.net.Find("gru")->conf.gru_conf().carry_state());
  const std::string said = gru.substr(0, gru.find("bias_term")) + "carry_state: false " +
                           gru.substr(gru.find("bias_term"));
  TestNet other(DummyNet("dynamic_srclayer: \"gru\" shape: 1 shape: 2 low: 1 high: 1", said),
                Testing());
  EXPECT_FALSE(other.net.Find("gru")->conf.gru_conf().carry_state());
}

TEST(RnnDummy, GivesAOneHotItsSize) {
  TestNet test(R"(
      layer { name: "first" type: kRNNDummy
              rnn_dummy_conf { dynamic_srclayer: "best" shape: 2 high: 5 integer: true } }
      layer { name: "onehot" type: kOneHot srclayers: "first" }
      layer { name: "fc" type: kInnerProduct srclayers: "onehot" param { name: "w" }
              innerproduct_conf { num_output: 5 bias_term: false } }
      layer { name: "prob" type: kSoftmax srclayers: "fc" }
      layer { name: "best" type: kArgSort srclayers: "prob" })",
               Testing());
  EXPECT_EQ(test.net.Find("onehot")->out[0]->data.shape(), (Shape{2, 5}));
  for (int i = 0; i < 3; ++i) test.Forward();
}

std::string ErrorOf(const std::string& net) {
  ConfigErrors errors;
  ParamTable params;
  StepState state;
  Context ctx;
  ctx.state = &state;
  try {
    singa::Net built = BuildNet(ParseNet(net), Testing(), &params, &errors);
    if (errors.empty()) PrepareNet(ctx, &built);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return errors.empty() ? "" : errors[0].what();
}

TEST(RnnDummy, NamesMistakes) {
  EXPECT_EQ(ErrorOf(DummyNet("shape: 1 dynamic_srclayer: \"nxt\"")),
            "layer[first].rnn_dummy_conf.dynamic_srclayer: no layer \"nxt\" in this phase; did you "
            "mean \"next\"?");
  EXPECT_EQ(ErrorOf(DummyNet("shape: 1 dynamic_srclayer: \"late\"",
                             "layer { name: 'late' type: kReLU include: kTrain }")),
            "layer[first].rnn_dummy_conf.dynamic_srclayer: no layer \"late\" in this phase, kTest: "
            "it is in kTrain");
  EXPECT_EQ(ErrorOf(DummyNet("low: 1 high: 2")),
            "layer[first].rnn_dummy_conf.shape: must be set, batch first");
  EXPECT_EQ(ErrorOf(DummyNet("shape: 0")), "layer[first].rnn_dummy_conf.shape: must be >= 1, is 0");
  EXPECT_EQ(ErrorOf(DummyNet("shape: 1 low: 2 high: 1")),
            "layer[first].rnn_dummy_conf.high: must be >= low, 2, is 1");
  EXPECT_EQ(ErrorOf(DummyNet("shape: 1 prime: \"a\"")),
            "layer[first].rnn_dummy_conf.vocab_path: must be set: prime is made of its characters");
  EXPECT_EQ(ErrorOf("unroll_len: 2 " + DummyNet("shape: 1")),
            "layer[first].unroll_len: must be 1: each batch is one time step");
  EXPECT_EQ(ErrorOf(R"(
      layer { name: "first" type: kRNNDummy rnn_dummy_conf { shape: 2 dynamic_srclayer: "fc" } }
      layer { name: "fc" type: kInnerProduct srclayers: "first" param { name: "w" }
              innerproduct_conf { num_output: 3 bias_term: false } })"),
            "layer[first].rnn_dummy_conf.shape: is (2), layer \"fc\" gives (2, 3)");
  EXPECT_EQ(
      ErrorOf(DummyNet("shape: 1 dynamic_srclayer: \"first\"")),
      "layer[first].rnn_dummy_conf.dynamic_srclayer: must be a layer that is computed from this "
      "one, \"first\" is not");
  EXPECT_EQ(
      ErrorOf(R"(layer { name: "data" type: kDummy dummy_conf { input: true shape: 1 } })" +
              DummyNet("shape: 1 dynamic_srclayer: \"data\"")),
      "layer[first].rnn_dummy_conf.dynamic_srclayer: must be a layer that is computed from this "
      "one, \"data\" is not");
  EXPECT_EQ(
      ErrorOf(R"(
      layer { name: "first" type: kRNNDummy rnn_dummy_conf { shape: 1 dynamic_srclayer: "next" } }
      layer { name: "next" user_type: "TestNext" srclayers: "first" unroll_len: 3 })"),
      "layer[first].rnn_dummy_conf.dynamic_srclayer: layer \"next\" must have one time step, has "
      "3");
}

}  // namespace
}  // namespace singa
