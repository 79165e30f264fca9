// Tests a visible and a hidden layer that read each other, under contrastive divergence. They use
// mean-field, so that the gradients follow from a few lines of arithmetic.
#include <cmath>

#include "singa/train/algorithm.h"
#include "support/net_test.h"
#include "support/proof_layers.h"

namespace singa {
namespace {
SINGA_REGISTER_LAYER(TestInput, TestInput);
SINGA_REGISTER_LAYER(TestLinear, TestLinear);

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// Computes y = sig(x w^T) or, transposed, sig(x w). w: [h, v].
void Connect(const float* x, const float* w, int64_t b, int64_t h, int64_t v, bool up, float* y) {
  for (int64_t r = 0; r < b; ++r)
    for (int64_t j = 0; j < (up ? h : v); ++j) {
      float sum = 0;
      for (int64_t i = 0; i < (up ? v : h); ++i)
        sum += up ? x[r * v + i] * w[j * v + i] : x[r * h + i] * w[i * v + j];
      y[r * (up ? h : v) + j] = Sigmoid(sum);
    }
}

class TestVis final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.feedback_slots = 2}; }
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    b_ = in[0]->data.rows(), v_ = in[0]->data.row_size(), h_ = conf.rbm_conf().hdim();
    w_ = declare.Param(0, {h_, v_});
    hid_pos_ = declare.Buffer({b_, h_}, Keep::kStep);
    out[0]->data.SetShape({b_, v_});
  }
  Traits traits() const override { return {.originates_gradient = true}; }
  void ComputeFeature(Context&, Phase flags, Inputs in, Outputs out) override {
    if (flags & kPositive) {
      std::memcpy(out[0]->data.data(), in[0]->data.data(), in[0]->data.bytes());
      return;
    }
    if (flags & kTest) std::memcpy(hid_pos_->data(), in[1]->data.data(), hid_pos_->bytes());
    Connect(in[1]->data.data(), w_->data.data(), b_, h_, v_, false, out[0]->data.data());
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    const float *hp = hid_pos_->data(), *hn = in[1]->data.data(), *vp = in[0]->data.data(),
                *vn = out[0]->data.data();
    for (int64_t j = 0; j < h_; ++j)
      for (int64_t i = 0; i < v_; ++i) {
        float sum = 0;
        for (int64_t r = 0; r < b_; ++r)
          sum += hn[r * h_ + j] * vn[r * v_ + i] - hp[r * h_ + j] * vp[r * v_ + i];
        w_->grad.data()[j * v_ + i] = sum / static_cast<float>(b_);
      }
  }

 private:
  int64_t b_ = 0, v_ = 0, h_ = 0;
  Param* w_ = nullptr;
  Tensor* hid_pos_ = nullptr;
};
SINGA_REGISTER_LAYER(TestVis, TestVis);

class TestHid final : public Layer {
 public:
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    b_ = in[0]->data.rows(), v_ = in[0]->data.row_size(), h_ = conf.rbm_conf().hdim();
    w_ = declare.Param(0, {h_, v_});
    out[0]->data.SetShape({b_, h_});
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    Connect(in[0]->data.data(), w_->data.data(), b_, h_, v_, true, out[0]->data.data());
  }

 private:
  int64_t b_ = 0, v_ = 0, h_ = 0;
  Param* w_ = nullptr;
};
SINGA_REGISTER_LAYER(TestHid, TestHid);

// Notes applies no update, and notes the calls.
struct Notes final : ParamExchange {
  std::vector<std::string> ready;
  void Await(Param*, int64_t) override {}
  void GradientReady(Param* param, int64_t) override { ready.push_back(param->name()); }
  void LossNotFinite(const std::string&, int64_t) override {}
  void Finish(int64_t) override {}
};

constexpr char kRbm[] = R"(
  layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
  layer { name: "below" user_type: "TestLinear" srclayers: "data" param { name: "frozen" lr_scale: 0 }
          innerproduct_conf { num_output: 4 } }
  layer { name: "vis" user_type: "TestVis" srclayers: "below" srclayers: "hid" param { name: "w" }
          rbm_conf { hdim: 5 } }
  layer { name: "hid" user_type: "TestHid" srclayers: "vis" param { name: "x" share_from: "w" }
          rbm_conf { hdim: 5 } })";

std::vector<float> ExpectedGradient(TestNet* test, int k) {
  const int64_t b = 2, v = 4, h = 5;
  const float* x = test->net.Find("below")->out[0]->data.data();
  const float* w = test->params.Find("w")->data.data();
  std::vector<float> vis(x, x + b * v), hid(b * h);
  Connect(vis.data(), w, b, h, v, true, hid.data());
  std::vector<float> vis_pos = vis, hid_pos = hid, grad(h * v);
  for (int i = 0; i < k; ++i) {
    Connect(hid.data(), w, b, h, v, false, vis.data());
    Connect(vis.data(), w, b, h, v, true, hid.data());
  }
  for (int64_t j = 0; j < h; ++j)
    for (int64_t i = 0; i < v; ++i)
      for (int64_t r = 0; r < b; ++r)
        grad[j * v + i] +=
            (hid[r * h + j] * vis[r * v + i] - hid_pos[r * h + j] * vis_pos[r * v + i]) / b;
  return grad;
}

class CdTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Steps, CdTest, ::testing::Values(1, 3));

TEST_P(CdTest, GradientIsNegativeMinusPositiveStatistics) {
  TestNet test(kRbm, KeepAll());
  AlgProto conf;
  conf.set_alg(kCD);
  conf.mutable_cd_conf()->set_cd_k(GetParam());
  Notes notes;
  MakeAlgorithm(conf)->TrainOneBatch(test.ctx, test.net, notes);
  const std::vector<float> expected = ExpectedGradient(&test, GetParam());
  const std::vector<float> grad = test.Grad("w");
  for (size_t i = 0; i < grad.size(); ++i) EXPECT_NEAR(grad[i], expected[i], 1e-6) << i;
  EXPECT_EQ(notes.ready, std::vector<std::string>{"w"});
}

TEST(Cd, TheFeedbackSlotIsNoCycle) {
  TestNet test(kRbm, KeepAll());
  EXPECT_EQ(test.net.Find("vis")->in[1]->data.data(), test.net.Find("hid")->out[0]->data.data());
}

TEST(Cd, OnlyTheVisibleAndHiddenLayersAreOnTheLoop) {
  TestNet test(kRbm, KeepAll());
  for (const NetNode& node : test.net.nodes())
    EXPECT_EQ(node.in_feedback, node.name == "vis" || node.name == "hid") << node.name;
}

TEST(Cd, ASecondEdgeBackIsACycle) {
  ConfigErrors errors;
  ParamTable params;
  BuildNet(ParseNet(R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
    layer { name: "a" user_type: "TestLinear" srclayers: "b" param { name: "w" }
            innerproduct_conf { num_output: 3 } }
    layer { name: "b" user_type: "TestLinear" srclayers: "a" param { name: "v" }
            innerproduct_conf { num_output: 3 } })"),
           {}, &params, &errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path(), "layer[a].srclayers");
  EXPECT_EQ(errors[0].message(), "layers form a cycle: a -> b -> a");
}
}  // namespace
}  // namespace singa
