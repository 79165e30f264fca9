// Tests an RBM under contrastive divergence. Its gradient is computed again by the definition, in
// plain loops and float64, with the same random numbers.
#include <cmath>

#include "support/net_test.h"
#include "support/proof_layers.h"
#include "support/train/no_updates.h"

namespace singa {
namespace {
SINGA_REGISTER_LAYER(TestInput, TestInput);
SINGA_REGISTER_LAYER(TestLinear, TestLinear);

using Doubles = std::vector<double>;
constexpr int64_t kRows = 5, kVisible = 4, kHidden = 6;

std::string RbmNet(const std::string& hidden, const std::string& visible = "", bool shared = true) {
  return R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 5 shape: 3 } }
    layer { name: "below" user_type: "TestLinear" srclayers: "data" param { name: "frozen" }
            innerproduct_conf { num_output: 4 } }
    layer { name: "vis" type: kRBMVis srclayers: "below" srclayers: "hid" param { name: "w" }
            param { name: "bv" } rbm_conf { hdim: 6 )" +
         visible + R"( } }
    layer { name: "hid" type: kRBMHid srclayers: "vis" param { name: "w2" )" +
         (shared ? R"(share_from: "w")" : "") + R"( }
            param { name: "bh" } rbm_conf { hdim: 6 )" +
         hidden + " } }";
}

// Machine is the machine of RbmNet by its formulas.
class Machine {
 public:
  Machine(TestNet* test, bool gaussian) : test_(test), gaussian_(gaussian) {}

  Doubles Hidden(const Doubles& vis) const {
    Doubles hid(kRows * kHidden);
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t j = 0; j < kHidden; ++j) {
        double sum = Data("bh")[j];
        for (int64_t i = 0; i < kVisible; ++i)
          sum += vis[r * kVisible + i] * Data("w")[j * kVisible + i];
        hid[r * kHidden + j] = gaussian_ ? sum : Sigmoid(sum);
      }
    return hid;
  }

  // Returns the visible means for a sample of `hid`. `pass`: the number of the negative pass of
  // this step, or of this test.
  Doubles Visible(const Doubles& hid, int64_t pass) const {
    const Philox random = test_->ctx.Random("vis");
    Doubles vis(kRows * kVisible);
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t i = 0; i < kVisible; ++i) {
        double sum = Data("bv")[i];
        for (int64_t j = 0; j < kHidden; ++j) {
          const uint64_t index = (uint64_t(pass) << 44) + r * kHidden + j;
          const double mean = hid[r * kHidden + j];
          const double sample = gaussian_ ? mean + random.Gaussian(index)
                                          : static_cast<double>(random.Uniform(index) < mean);
          sum += sample * Data("w")[j * kVisible + i];
        }
        vis[r * kVisible + i] = Sigmoid(sum);
      }
    return vis;
  }

 private:
  static double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
  const float* Data(const std::string& param) const {
    return test_->params.Find(param)->data.data();
  }
  TestNet* test_;
  bool gaussian_;
};

// Returns left^T right summed over rows: [a, b].
Doubles Product(const Doubles& left, int64_t a, const Doubles& right, int64_t b) {
  Doubles product(a * b);
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t i = 0; i < a; ++i)
      for (int64_t j = 0; j < b; ++j) product[i * b + j] += left[r * a + i] * right[r * b + j];
  return product;
}

void ExpectGradient(TestNet* test, const std::string& param, const Doubles& negative,
                    const Doubles& positive) {
  const std::vector<float> grad = test->Grad(param);
  ASSERT_EQ(grad.size(), negative.size());
  for (size_t i = 0; i < grad.size(); ++i)
    EXPECT_NEAR(grad[i], (negative[i] - positive[i]) / kRows, 1e-5) << param << i;
}

std::unique_ptr<Algorithm> MakeCd(int k) {
  AlgProto conf;
  conf.set_alg(kCD);
  conf.mutable_cd_conf()->set_cd_k(k);
  return MakeAlgorithm(conf);
}

// Returns the input of the machine, from the layers below it.
Doubles VisibleData(TestNet* test) {
  const float* x = test->net.Find("below")->out[0]->data.data();
  return Doubles(x, x + kRows * kVisible);
}

// Runs one step and compares it with the formulas. `chain`, if not null, is the begin of the
// negative phase, and then its end. Else the phase begins with the data.
void ExpectStep(TestNet* test, bool gaussian, int k, Doubles* chain) {
  NoUpdates exchange;
  MakeCd(k)->TrainOneBatch(test->ctx, test->net, exchange);
  const Machine machine(test, gaussian);
  const Doubles vis = VisibleData(test), hid = machine.Hidden(vis), ones(kRows, 1);
  Doubles vis_end = vis, hid_end = chain ? *chain : hid;
  for (int i = 0; i < k; ++i) {
    vis_end = machine.Visible(hid_end, chain ? i + 1 : i);
    hid_end = machine.Hidden(vis_end);
  }
  ExpectGradient(test, "w", Product(hid_end, kHidden, vis_end, kVisible),
                 Product(hid, kHidden, vis, kVisible));
  ExpectGradient(test, "bv", Product(ones, 1, vis_end, kVisible), Product(ones, 1, vis, kVisible));
  ExpectGradient(test, "bh", Product(ones, 1, hid_end, kHidden), Product(ones, 1, hid, kHidden));
  double error = 0;
  const Doubles reconstruction = machine.Visible(hid, 0);
  for (size_t i = 0; i < vis.size(); ++i)
    error += (vis[i] - reconstruction[i]) * (vis[i] - reconstruction[i]);
  EXPECT_NEAR(test->TakeLoss(), error / kRows, 1e-5);
  if (chain) *chain = hid_end;
}

class RbmTest : public ::testing::TestWithParam<std::tuple<bool, int>> {};
INSTANTIATE_TEST_SUITE_P(UnitsAndPasses, RbmTest,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(1, 3)));

TEST_P(RbmTest, GradientIsNegativeMinusPositiveStatistics) {
  const auto [gaussian, k] = GetParam();
  TestNet test(RbmNet(gaussian ? "gaussian: true" : ""), KeepAll());
  for (int64_t step = 0; step < 3; ++step) {
    test.state.step = step;
    ExpectStep(&test, gaussian, k, nullptr);
  }
}

TEST_P(RbmTest, APersistentChainGoesOnFromTheLastStep) {
  const auto [gaussian, k] = GetParam();
  TestNet test(RbmNet(gaussian ? "gaussian: true" : "", "persistent: true"), KeepAll());
  Doubles chain(kRows * kHidden);
  for (int64_t step = 0; step < 3; ++step) {
    test.state.step = step;
    ExpectStep(&test, gaussian, k, &chain);
  }
}

// Returns the values that last: params and chains.
std::vector<float> Lasting(TestNet* test) {
  std::vector<float> all;
  const auto add = [&all](const Tensor& t) {
    all.insert(all.end(), t.data(), t.data() + t.size());
  };
  for (const auto& param : test->params.params()) add(param->data);
  for (NetNode& node : test->net.nodes())
    for (const Buffer& buffer : node.declared().buffers)
      if (buffer.keep == Keep::kForever) add(buffer.tensor);
  return all;
}

TEST(Rbm, ATestReconstructsAndChangesNothing) {
  for (const char* chain : {"", "persistent: true"}) {
    NetOptions options = KeepAll();
    options.phase = kTest;
    TestNet test(RbmNet("", chain), options);
    const std::vector<float> before = Lasting(&test);
    const Machine machine(&test, false);
    for (int batch = 0; batch < 3; ++batch) {  // each batch has other numbers
      MakeCd(1)->TestOneBatch(test.ctx, test.net);
      const Doubles vis = VisibleData(&test), again = machine.Visible(machine.Hidden(vis), batch);
      double error = 0;
      for (size_t i = 0; i < vis.size(); ++i) error += (vis[i] - again[i]) * (vis[i] - again[i]);
      EXPECT_NEAR(test.TakeLoss(), error / kRows, 1e-5);
    }
    EXPECT_EQ(Lasting(&test), before);
    EXPECT_EQ(before.size(), 3u * 4 + 6 * 4 + 4 + 6 + (*chain ? kRows * kHidden : 0));
  }
}

TEST(Rbm, TwoMachinesOfOneWeightAddUp) {
  const auto machine = [](const std::string& i, const std::string& params, int units) {
    return StrCat(
        "layer { name: 'data", i, "' user_type: 'TestInput' dummy_conf { shape: 5 shape: 4 } }",
        "layer { name: 'vis", i, "' type: kRBMVis srclayers: 'data", i, "' srclayers: 'hid", i,
        "' ", params, " rbm_conf { hdim: ", units, " } }", "layer { name: 'hid", i,
        "' type: kRBMHid srclayers: 'vis", i, "' param { share_from: 'w' } param { name: 'bh", i,
        "' } rbm_conf { hdim: ", units, " } }");
  };
  const std::string first = machine("", "param { name: 'w' } param { name: 'bv' }", 6);
  const std::string second = machine(
      "2", "param { name: 'w2' share_from: 'w' } param { name: 'bv2' share_from: 'bv' }", 6);
  const auto gradients = [](const std::string& net) {
    TestNet test(net, KeepAll());
    NoUpdates exchange;
    MakeCd(1)->TrainOneBatch(test.ctx, test.net, exchange);
    std::vector<float> both = test.Grad("w");
    const std::vector<float> bias = test.Grad("bv");
    both.insert(both.end(), bias.begin(), bias.end());
    return both;
  };
  const std::vector<float> both = gradients(first + second), one = gradients(first);
  std::string alone = second;  // the second machine has params of its own, of the same values
  for (const char* share :
       {"param { name: 'w2' share_from: 'w' }", "param { name: 'bv2' share_from: 'bv' }"}) {
    const std::string name = std::string(share).find("bv2") == std::string::npos ? "w" : "bv";
    alone.replace(alone.find(share), std::string(share).size(),
                  StrCat("param { name: '", name, "' }"));
  }
  const std::vector<float> other = gradients(alone);
  for (size_t i = 0; i < both.size(); ++i) EXPECT_NEAR(both[i], one[i] + other[i], 1e-6) << i;
}

TEST(Rbm, AHiddenWeightOfItsOwnIsNotTrained) {
  TestNet test(RbmNet("", "", false), KeepAll());
  for (const NetNode& node : test.net.nodes())
    for (const Param* param : node.completes) EXPECT_NE(param->name(), "w2");
}

TEST(Rbm, LayersBelowGiveNoGradients) {
  TestNet test(RbmNet(""), KeepAll());
  EXPECT_FALSE(test.net.Find("below")->runs_backward);
  for (const NetNode& node : test.net.nodes())
    for (const Port* port : node.in) EXPECT_TRUE(port->grad.empty()) << node.name;
}

TEST(Rbm, WithoutBiasesItHasTheWeightAlone) {
  TestNet test(R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 5 shape: 4 } }
    layer { name: "vis" type: kRBMVis srclayers: "data" srclayers: "hid" param { name: "w" }
            rbm_conf { hdim: 6 bias_term: false } }
    layer { name: "hid" type: kRBMHid srclayers: "vis" param { share_from: "w" }
            rbm_conf { hdim: 6 bias_term: false } })",
               KeepAll());
  NoUpdates exchange;
  MakeCd(1)->TrainOneBatch(test.ctx, test.net, exchange);
  EXPECT_EQ(test.params.params().size(), 1u);
  double squares = 0;
  for (float g : test.Grad("w")) squares += g * g;
  EXPECT_GT(squares, 0);
}

void ExpectError(const std::string& net, const std::string& path, const std::string& text) {
  ConfigErrors errors;
  ParamTable params;
  BuildNet(ParseNet(net), {}, &params, &errors);
  ASSERT_EQ(errors.size(), 1u) << net;
  EXPECT_EQ(errors[0].path(), path);
  EXPECT_EQ(errors[0].message(), text);
}

TEST(Rbm, TheSidesMustBelongTogether) {
  const std::string data = R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 5 shape: 4 } })";
  const std::string vis = R"(layer { name: "vis" type: kRBMVis param { name: "w" }
                                     param { name: "bv" } srclayers: "data" )";
  const std::string hid = R"(layer { name: "hid" type: kRBMHid param { name: "v" }
                                     param { name: "bh" } )";
  ExpectError(data + vis + "rbm_conf { hdim: 6 } }", "layer[vis].srclayers",
              "must be 2, its input and its kRBMHid, are 1");
  ExpectError(data + vis + R"(srclayers: "data" rbm_conf { hdim: 6 } })", "layer[vis].srclayers#1",
              "the second must be a kRBMHid, \"data\" is of another type");
  ExpectError(data + hid + R"(srclayers: "data" rbm_conf { hdim: 6 } })", "layer[hid].srclayers",
              "must be one layer, a kRBMVis that reads this layer");
  ExpectError(data + vis + R"(srclayers: "hid" rbm_conf { hdim: 6 } })" + hid +
                  R"(srclayers: "vis" rbm_conf { hdim: 7 } })",
              "layer[vis].rbm_conf.hdim", "must be that of layer \"hid\", 7, is 6");
  ExpectError(data + vis + R"(srclayers: "hid" rbm_conf { hdim: 0 } })" + hid +
                  R"(srclayers: "vis" rbm_conf { hdim: 0 } })",
              "layer[vis].rbm_conf.hdim", "must be >= 1, is 0");
}

}  // namespace
}  // namespace singa
