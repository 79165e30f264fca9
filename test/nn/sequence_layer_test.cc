// Tests a layer that sees all time steps of its source (Wiring::sequence) and is not recurrent, as
// attention is. It runs as one node, whether the rest of the net is folded or not.
#include "support/net_test.h"
#include "support/proof_layers.h"

namespace singa {
namespace {

// In TestMixSteps step t is (t + 1) times the sum of all steps of the source. x, y: [T, n, d], or
// [n, d] of one step.
class TestMixSteps final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    return {.sequence = true,
            .causal = conf.dropout_conf().has_dropout_ratio()};  // one test claims this
  }
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    steps_ = conf.unroll_len();
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    const int64_t step = in[0]->data.size() / steps_;
    for (int64_t i = 0; i < step; ++i) {
      float sum = 0;
      for (int64_t t = 0; t < steps_; ++t) sum += in[0]->data.data()[t * step + i];
      for (int64_t t = 0; t < steps_; ++t)
        out[0]->data.data()[t * step + i] = static_cast<float>(t + 1) * sum;
    }
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    const int64_t step = in[0]->data.size() / steps_;
    for (int64_t i = 0; i < step; ++i) {
      float sum = 0;
      for (int64_t t = 0; t < steps_; ++t)
        sum += static_cast<float>(t + 1) * out[0]->grad.data()[t * step + i];
      for (int64_t t = 0; t < steps_; ++t) in[0]->grad.data()[t * step + i] = sum;
    }
  }

 private:
  int64_t steps_ = 1;
};
SINGA_REGISTER_LAYER(TestMixSteps, TestMixSteps);

// TestMixSources computes the same with a node for each step. Each node has every step as a source.
class TestMixSources final : public Layer {
 public:
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1, 100);
    factor_ = static_cast<float>(conf.unroll_index() + 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    for (int64_t i = 0; i < out[0]->data.size(); ++i) {
      float sum = 0;
      for (const Port* port : in) sum += port->data.data()[i];
      out[0]->data.data()[i] = factor_ * sum;
    }
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    for (Port* port : in)
      for (int64_t i = 0; i < port->grad.size(); ++i)
        port->grad.data()[i] = factor_ * out[0]->grad.data()[i];
  }

 private:
  float factor_ = 1;
};
SINGA_REGISTER_LAYER(TestMixSources, TestMixSources);

std::string MixNet(const std::string& mix) {
  return R"(unroll_len: 3
    layer { name: "text" user_type: "TestInput" unroll_len: 1 split_conf { num_splits: 3 }
            dummy_conf { shape: 4 shape: 4 } }
    layer { name: "embed" user_type: "TestLinear" srclayers: "text" param { name: "e" }
            innerproduct_conf { num_output: 5 } }
    layer { name: "mix" srclayers: "embed" )" +
         mix + R"( }
    layer { name: "out" user_type: "TestLinear" srclayers: "mix" param { name: "o" }
            innerproduct_conf { num_output: 2 } }
    layer { name: "loss" user_type: "TestLoss" srclayers: "out" })";
}

const std::string kSequence = MixNet("user_type: 'TestMixSteps'");

ConfigErrors ErrorsOf(const std::string& text) {
  ParamTable params;
  ConfigErrors errors;
  BuildNet(ParseNet(text), {}, &params, &errors);
  return errors;
}

TEST(SequenceLayer, ComputesWhatANodeForEachStepComputes) {
  TestNet sequence(kSequence),
      sources(MixNet("user_type: 'TestMixSources' unroll_conn_type: kUnrollOneToAll"));
  EXPECT_EQ(sequence.net.nodes().size(), 5u);
  EXPECT_GT(sources.net.nodes().size(), 5u);
  for (TestNet* test : {&sequence, &sources}) test->Forward();
  const double loss = sequence.TakeLoss();
  EXPECT_NEAR(loss, sources.TakeLoss(), 1e-5 * loss);
  for (TestNet* test : {&sequence, &sources}) test->Backward();
  for (const char* param : {"e", "o"}) {
    const std::vector<float> a = sequence.Grad(param), b = sources.Grad(param);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-5 * std::max(1.f, std::abs(b[i]))) << param << i;
  }
}

TEST(SequenceLayer, IsOneNodeOfAnUnfoldedNetToo) {
  // Unfolded, the net has the input, and 3 nodes of each of embed, out and loss.
  ExpectBothFormsAgree(kSequence, 5, 11);
}

TEST(SequenceLayer, SeesAllStepsOfItsWorkersRows) {
  for (int worker : {0, 1}) {
    NetOptions options = KeepAll();
    options.parts = 2;
    options.worker = worker;
    TestNet part(kSequence, options);
    part.Forward();
    const NetNode& mix = *part.net.Find("mix");
    ASSERT_EQ(mix.in[0]->data.shape().ToString(), "(3, 2, 5)");
    EXPECT_EQ(mix.in[0]->span.first, 2 * worker);
    const float* x = mix.in[0]->data.data();
    for (int i = 0; i < 10; ++i)
      EXPECT_NEAR(mix.out[0]->data.data()[20 + i], 3 * (x[i] + x[10 + i] + x[20 + i]), 1e-5) << i;
  }
}

TEST(SequenceLayer, IsNotCausalUnlessItSaysSo) {
  EXPECT_FALSE(TestNet(kSequence).net.causal());
  EXPECT_TRUE(TestNet(MixNet("user_type: 'TestMixSteps' dropout_conf { dropout_ratio: 0.5 }"))
                  .net.causal());
}

std::string AttentionNet(const std::string& settings, const std::string& more = "") {
  return MixNet(
      StrCat("type: kAttention ", more, " attention_conf { num_heads: 5 ", settings, " }"));
}

TEST(SequenceLayer, AttentionIsOneNodeOfAnUnfoldedNetToo) {
  ExpectBothFormsAgree(AttentionNet("dropout_ratio: 0.3"), 5, 11);
}

TEST(SequenceLayer, AttentionIsCausalUnlessToldOtherwise) {
  EXPECT_TRUE(TestNet(AttentionNet("")).net.causal());
  EXPECT_FALSE(TestNet(AttentionNet("causal: false")).net.causal());
}

TEST(SequenceLayer, AttentionMustReadItsSourceStepByStep) {
  const ConfigErrors errors = ErrorsOf(AttentionNet("", "unroll_conn_type: kUnrollOneToAll"));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path(), "layer[mix].srclayers");
}

TEST(SequenceLayer, WithOneStepReadsRows) {
  TestNet test(R"(
    layer { name: "rows" user_type: "TestInput" dummy_conf { shape: 4 shape: 4 } }
    layer { name: "mix" user_type: "TestMixSteps" srclayers: "rows" })");
  EXPECT_EQ(test.net.Find("mix")->in[0]->data.shape(), (Shape{4, 4}));
}

TEST(SequenceLayer, MustReadItsSourceStepByStep) {
  for (const char* link : {"unroll_conn_type: kUnrollOneToAll", "shift: 1"}) {
    const ConfigErrors errors = ErrorsOf(MixNet(StrCat("user_type: 'TestMixSteps' ", link)));
    ASSERT_EQ(errors.size(), 1u) << link;
    EXPECT_EQ(errors[0].path(), "layer[mix].srclayers");
    EXPECT_NE(errors[0].message().find("must have the layer's 3 time steps"), std::string::npos)
        << errors[0].message();
  }
}

}  // namespace
}  // namespace singa
