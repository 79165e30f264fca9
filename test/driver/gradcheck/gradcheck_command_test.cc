#include "driver/gradcheck/gradcheck_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "io/temp_dir.h"
#include "singa/nn/layer.h"
#include "support/driver/captured_command.h"

namespace singa::gradcheck_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Doubles its source, and gives `factor` times the gradient of its output.
template <int factor>
class Doubling : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      out[0]->data.data()[i] = 2 * in[0]->data.data()[i];
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    for (int64_t i = 0; i < in[0]->grad.size(); ++i)
      in[0]->grad.data()[i] = factor * out[0]->grad.data()[i];
  }
};
class GradcheckRight final : public Doubling<2> {};
class GradcheckWrong final : public Doubling<3> {};
// Gives NaN as the gradient of the first element alone.
class GradcheckNan final : public Doubling<2> {
 public:
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    Doubling<2>::ComputeGradient(ctx, in, out);
    in[0]->grad.data()[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

// A loss of x^2 / 2, whose gradient should be x, not -x.
class GradcheckUphill final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  Traits traits() const override { return {.grad_reads_in = true, .originates_gradient = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape({in[0]->data.shape()[0]});
    loss_ = declare.Metric("loss");
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs) override {
    double* const cell = loss_->cell.as<double>();
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      cell[0] += 0.5 * in[0]->data.data()[i] * in[0]->data.data()[i];
    cell[1] += 1;
  }
  void ComputeGradient(Context&, Inputs in, Outputs) override {
    for (int64_t i = 0; i < in[0]->grad.size(); ++i) in[0]->grad.data()[i] = -in[0]->data.data()[i];
  }

 private:
  Metric* loss_ = nullptr;
};
SINGA_REGISTER_LAYER(GradcheckRight, GradcheckRight);
SINGA_REGISTER_LAYER(GradcheckWrong, GradcheckWrong);
SINGA_REGISTER_LAYER(GradcheckNan, GradcheckNan);
SINGA_REGISTER_LAYER(GradcheckUphill, GradcheckUphill);

class GradcheckTest : public testing::Test {
 protected:
  // Runs the command on a net whose first layer is "data" and whose layers follow.
  CapturedCommand Run(const std::string& shape, const std::string& layers,
                      std::vector<std::string> args = {}) {
    args.insert(args.begin(), dir_.Write("job.conf", R"(
      train_steps: 1 train_one_batch { alg: kBP }
      updater { type: kSGD learning_rate { type: kFixed base_lr: 1 } }
      neuralnet {
        layer { name: "data" type: kRecordInput
                store_conf { backend: "synthetic" batchsize: 5 std_value: 255 )" +
                                                         shape + R"(
                             synthetic_conf { records: 5 classes: 3 } } })" +
                                                         layers + "}"));
    return CapturedCommand([&] { return GradcheckCommand(args); });
  }
  static std::string Dense(const std::string& name, const std::string& source, int units) {
    return "layer { name: '" + name + "' type: kInnerProduct srclayers: '" + source +
           "' innerproduct_conf { num_output: " + std::to_string(units) + " } param { name: 'w" +
           name + "' init { type: kUniform low: -1 high: 1 } } param { name: 'b" + name +
           "' init { type: kUniform low: -1 high: 1 } } }";
  }
  static std::string Loss(const std::string& source) {
    return "layer { name: 'loss' type: kSoftmaxLoss srclayers: '" + source +
           "' srclayers: 'data' }";
  }

  const TempDir dir_;
};

TEST_F(GradcheckTest, SmallBiasesOfLargeFeaturesAgree) {
  const CapturedCommand run = Run("shape: 6",
                                  R"(layer { name: "fc" type: kInnerProduct
             srclayers: "data" innerproduct_conf { num_output: 3 }
             param { name: "w" init { type: kUniform low: -1e5 high: 1e5 } }
             param { name: "b" init { type: kUniform low: -1 high: 1 } } })" +
                                      Loss("fc"),
                                  {"-layer", "fc"});
  EXPECT_EQ(run.code, kExitOk) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("ok   fc: param[1] \"b\": 3 elements"));
}

TEST_F(GradcheckTest, SoundLayersAgree) {
  const CapturedCommand run = Run("shape: [2, 6, 6]",
                                  R"(layer { name: "conv" type: kConvolution srclayers: "data"
               convolution_conf { num_filters: 3 kernel: 3 pad: 1 }
               param { name: "wc" init { type: kUniform } } param { name: "bc" init { type: kUniform } } }
             layer { name: "bn" type: kBM srclayers: "conv" }
             layer { name: "relu" type: kReLU srclayers: "bn" }
             layer { name: "pool" type: kPooling srclayers: "relu" pooling_conf { kernel: 2 } }
             layer { name: "lrn" type: kLRN srclayers: "pool" lrn_conf { local_size: 3 } }
             layer { name: "drop" type: kDropout srclayers: "lrn" }
             layer { name: "tanh" type: kSTanh srclayers: "drop" })" +
                                      Dense("fc", "tanh", 3) + Loss("fc"));
  EXPECT_EQ(run.code, kExitOk) << run.out << run.err;
  for (const char* const text :
       {"ok   conv: param[0] \"wc\": 40 elements", "ok   bn: srclayers[0] \"conv\": ",
        "ok   relu: srclayers[0] \"bn\": ", "ok   pool: ", "ok   lrn: ", "ok   drop: ",
        "ok   tanh: ", "ok   fc: param[1] \"bfc\": 3 elements", "ok   loss: srclayers[0] \"fc\": "})
    EXPECT_THAT(run.out, HasSubstr(text));
  EXPECT_THAT(run.out, Not(HasSubstr("FAIL")));
}

TEST_F(GradcheckTest, LayersThatUnrollAgree) {
  const CapturedCommand run = Run(
      "shape: [4, 3]",
      R"(layer { name: "steps" type: kTimeSteps srclayers: "data" time_steps_conf { unroll_len: 4 } }
             layer { name: "gru" type: kGRU srclayers: "steps" gru_conf { dim_hidden: 5 carry_state: true } )" +
          [] {
            std::string params;
            for (int i = 0; i < 9; ++i) params += "param { init { type: kUniform } } ";
            return params;
          }() +
          "}" + Dense("fc", "gru", 3) +
          "layer { name: 'loss' type: kEuclideanLoss srclayers: 'steps' srclayers: 'fc' }",
      {"-set", "neuralnet.unroll_len=4", "-set", "neuralnet.layer[data].unroll_len=1", "-set",
       "train_one_batch.alg=kBPTT"});
  EXPECT_EQ(run.code, kExitOk) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("ok   gru: param[8] "));
  EXPECT_THAT(run.out, HasSubstr("ok   loss: "));
}

TEST_F(GradcheckTest, AWrongGradientIsShownWithItsDifference) {
  const std::string layers = Dense("fc", "data", 3) +
                             "layer { name: 'good' user_type: 'GradcheckRight' srclayers: 'fc' }"
                             "layer { name: 'bad' user_type: 'GradcheckWrong' srclayers: 'good' }" +
                             Loss("bad");
  const CapturedCommand run = Run("shape: 4", layers);
  EXPECT_EQ(run.code, kExitBug) << run.err;
  EXPECT_THAT(run.out, HasSubstr("ok   good: srclayers[0] \"fc\": 15 elements"));
  EXPECT_THAT(run.out, HasSubstr("FAIL bad: srclayers[0] \"good\": 15 elements"));
  EXPECT_THAT(run.out, HasSubstr(": gradient "));
  EXPECT_EQ(Run("shape: 4", layers, {"-layer", "good"}).code, kExitOk);
  EXPECT_THAT(Run("shape: 4", layers, {"-layer", "good"}).out, Not(HasSubstr("loss")));
}

TEST_F(GradcheckTest, AGradientThatIsNoNumberIsWrong) {
  const CapturedCommand run =
      Run("shape: 4", Dense("fc", "data", 3) +
                          "layer { name: 'nan' user_type: 'GradcheckNan' srclayers: 'fc' }" +
                          Loss("nan"));
  EXPECT_EQ(run.code, kExitBug) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("FAIL nan: srclayers[0] \"fc\": 15 elements, differs by inf"));
}

TEST_F(GradcheckTest, ALossWhoseGradientPointsTheWrongWayIsWrong) {
  const CapturedCommand run =
      Run("shape: 4", Dense("fc", "data", 3) +
                          "layer { name: 'loss' user_type: 'GradcheckUphill' srclayers: 'fc' }");
  EXPECT_EQ(run.code, kExitBug) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("FAIL loss: srclayers[0] \"fc\": "));
}

TEST_F(GradcheckTest, ALayerThatIsNotThereIsAnError) {
  const CapturedCommand run =
      Run("shape: 4", Dense("fc", "data", 3) + Loss("fc"), {"-layer", "fd"});
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("-layer: no layer \"fd\"; did you mean \"fc\"?"));
}

}  // namespace
}  // namespace singa::gradcheck_test
