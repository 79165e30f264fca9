// Tests the steps of a net: which nodes run, what they get, and how their errors are told.
#include "singa/nn/net.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/activity_mark.h"
#include "singa/base/error.h"
#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace net_test {

constexpr char kData[] =
    "layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 2 shape: 3 } }\n";

std::string Linear(const std::string& name, const std::string& source,
                   const std::string& more = "") {
  return StrCat("layer { name: '", name, "' user_type: 'TestLinear' srclayers: '", source,
                "' innerproduct_conf { num_output: 3 } param { name: 'w", name, "' } ", more,
                " }\n");
}

std::string LossOf(const std::string& source, const std::string& more = "") {
  return StrCat("layer { name: 'loss' user_type: 'TestLoss' srclayers: '", source, "' ", more,
                " }\n");
}

// FailsInStep fails as its `failure` says, in its feature or in its gradient.
class FailsInStep final : public Layer {
 public:
  enum Failure { kNone, kSetting, kDevice, kDeviceOfGradient };
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {
    if (failure == kSetting) throw ConfigError("own_conf.size", "does not fit the records");
    if (failure == kDevice) throw DeviceError("a kernel failed");
  }
  void ComputeGradient(Context&, Inputs, Outputs) override {
    if (failure == kDeviceOfGradient) throw DeviceError("a kernel failed");
  }
  Failure failure = kNone;
};
SINGA_REGISTER_LAYER(FailsInStep, FailsInStep);

struct FailingNet : TestNet {
  explicit FailingNet(FailsInStep::Failure failure)
      : TestNet(StrCat(kData, Linear("a", "data"),
                       "layer { name: 'bad' user_type: 'FailsInStep' srclayers: 'a' }\n",
                       LossOf("bad"))) {
    static_cast<FailsInStep&>(*net.Find("bad")->layer).failure = failure;
  }
};

TEST(Net, FindsTheFirstNodeOfALayer) {
  NetOptions unfolded;
  unfolded.fold = false;
  TestNet test(StrCat("unroll_len: 2 layer { name: 'text' user_type: 'TestInput' unroll_len: 1 ",
                      "split_conf { num_splits: 2 } dummy_conf { shape: 2 shape: 4 } }\n",
                      Linear("a", "text")),
               unfolded);
  EXPECT_EQ(test.net.Find("a")->full_name, "0#a");
  EXPECT_EQ(test.net.Find("none"), nullptr);
}

TEST(Net, ASharedWeightIsTransposedOnlyIfItsOwnersLayerSaysSo) {
  const auto product = [](const std::string& name, const std::string& source, bool transpose,
                          const std::string& weight) {
    return StrCat("layer { name: '", name, "' type: kInnerProduct srclayers: '", source,
                  "' innerproduct_conf { num_output: 3 transpose: ", transpose ? "true" : "false",
                  " } param { ", weight, " } }\n");
  };
  TestNet test(StrCat(kData, product("encode", "data", false, "name: 'tied'"),
                      product("decode", "encode", true, "share_from: 'tied'"),
                      product("own", "decode", true, "name: 'own'"), LossOf("own")));
  EXPECT_FALSE(test.params.Find("tied")->transposed());
  EXPECT_TRUE(test.params.Find("own")->transposed());
}

TEST(Net, ItsBatchIsTheGroupsAndItsRowsAreTheWorkers) {
  NetOptions options;
  options.parts = 2;
  options.worker = 1;
  TestNet test("layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 5 shape: 3 } }",
               options);
  EXPECT_EQ(test.net.batch(), 5);
  EXPECT_EQ(test.net.rows(), 3);
}

// Returns the gradient of param "wa" of a net with a loss of this weight, and the printed loss.
std::pair<std::vector<float>, double> Weighted(const std::string& weight, float scale = 0) {
  TestNet test(
      StrCat(kData, Linear("a", "data"), Linear("b", "data"), LossOf("a' srclayers: 'b", weight)));
  test.state.loss_scale = scale;
  test.ctx.scales_losses = scale > 0;
  test.Forward();
  const double loss = test.TakeLoss();
  test.Backward();
  return {test.Grad("wa"), loss};
}

std::vector<float> Times(float factor, std::vector<float> numbers) {
  for (float& x : numbers) x *= factor;
  return numbers;
}

TEST(Net, MultipliesTheGradientOfALossByItsWeightAndNotTheLoss) {
  const auto [gradient, loss] = Weighted("");
  for (const float weight : {0.25f, -2.f}) {
    const auto [weighted, printed] = Weighted(StrCat("loss_weight: ", weight));
    EXPECT_EQ(weighted, Times(weight, gradient));
    EXPECT_EQ(printed, loss);
  }
}

TEST(Net, MultipliesTheGradientOfALossByItsWeightAndTheScaleOfFloat16) {
  const std::vector<float> gradient = Weighted("").first;
  EXPECT_EQ(Weighted("", 64).first, Times(64, gradient));
  EXPECT_EQ(Weighted("loss_weight: 0.5", 64).first, Times(32, gradient));
}

TEST(Net, WithoutNodesItHasNoRows) {
  Net net;
  EXPECT_EQ(net.batch(), 0);
  EXPECT_EQ(net.rows(), 0);
  EXPECT_EQ(net.Find("a"), nullptr);
}

TEST(Net, ASettingThatDoesNotFitTheRecordsIsToldWithItsPlace) {
  FailingNet test(FailsInStep::kSetting);
  try {
    test.Forward();
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "neuralnet.layer[bad].own_conf.size");
  }
}

TEST(Net, ADevicesErrorNamesTheLayer) {
  for (const auto failure : {FailsInStep::kDevice, FailsInStep::kDeviceOfGradient}) {
    FailingNet test(failure);
    try {
      test.Forward();
      test.Backward();
      FAIL() << "no error";
    } catch (const DeviceError& error) {
      EXPECT_STREQ(error.what(), "layer \"bad\": a kernel failed");
    }
  }
}

TEST(Net, OnlyNodesThatRunBackwardAddToTheirParams) {
  TestNet test(StrCat(kData, Linear("a", "data"), Linear("side", "data"), LossOf("a")));
  test.Forward();
  test.Backward();
  EXPECT_EQ(test.params.Find("wa")->beta(), 1);     // the next gradient adds
  EXPECT_EQ(test.params.Find("wside")->beta(), 0);  // the next gradient is the first
}

// The layer "last" reads the last of three time steps alone.
TEST(Net, TimeStepsThatNobodyReadsHaveNoGradientOfAnEarlierStep) {
  TestNet test(
      StrCat("unroll_len: 3 layer { name: 'text' user_type: 'TestInput' unroll_len: 1 ",
             "split_conf { num_splits: 3 } dummy_conf { shape: 2 shape: 4 } }\n",
             Linear("a", "text"),
             Linear("last", "a", "unroll_len: 1 unroll_conn_type: kUnrollFirstToLast"),
             "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'last' unroll_len: 1 }"),
      KeepAll());
  test.Forward();
  test.Backward();
  const std::vector<float> fresh = test.Grad("wa");
  Tensor& grad = test.net.Find("a")->out[0]->grad;
  for (int64_t i = 0; i < grad.size(); ++i)
    grad.data()[i] = std::numeric_limits<float>::quiet_NaN();
  test.Backward();
  EXPECT_EQ(test.Grad("wa"), fresh);
}

TEST(Net, SaysWhichLayerComputesWhat) {
  TestNet test(StrCat(kData, Linear("a", "data"), LossOf("a")));
  ActivityMark mark;
  test.ctx.mark = &mark;
  const auto says = [&](Activity activity, const char* layer) {
    return mark.state().activity == activity && *mark.layer() == layer;
  };
  NetNode &data = *test.net.Find("data"), &a = *test.net.Find("a");
  test.net.ComputeFeature(test.ctx, data, kTrain);
  EXPECT_TRUE(says(Activity::kReading, "data"));
  test.net.ComputeFeature(test.ctx, a, kTrain);
  EXPECT_TRUE(says(Activity::kFeature, "a"));
  test.net.ComputeGradient(test.ctx, *test.net.Find("loss"));
  EXPECT_TRUE(says(Activity::kGradient, "loss"));
}

TEST(Net, OfAnotherPhaseOnlyEvaluates) {
  NetOptions options;
  options.phase = kTest;
  TestNet test(StrCat(kData, Linear("a", "data")), options);
  ActivityMark mark;
  test.ctx.mark = &mark;
  test.net.ComputeFeature(test.ctx, *test.net.Find("data"), kTest);
  EXPECT_EQ(mark.state().activity, Activity::kEvaluating);
}

TEST(Net, ClearsTheMetricsOfAllLayers) {
  TestNet test(StrCat(kData, Linear("a", "data"), LossOf("a")));
  test.Forward();
  const Metric& loss = test.net.Find("loss")->declared().metrics[0];
  ASSERT_EQ(loss.cell.as<double>()[1], 2);
  test.net.ClearMetrics(test.ctx);
  EXPECT_EQ(loss.cell.as<double>()[0], 0);
  EXPECT_EQ(loss.cell.as<double>()[1], 0);
}

// Only the metric of a layer on the device has to be copied.
TEST(Net, CopiesTheMetricsOfTheDeviceAndWaits) {
  PromptGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  TestNet test(
      StrCat(kData, Linear("a", "data"), LossOf("a"),
             "layer { name: 'there' type: kSoftmaxLoss srclayers: 'a' ", "srclayers: 'data' }"),
      {}, false);
  test.ctx.stream = stream.get();
  OpenNet(test.ctx, NetArena::Allocate(test.ctx, PrepareNet(test.ctx, &test.net)), &test.net);
  auto& metrics = test.net.Find("there")->declared().metrics;
  metrics[0].cell.as<double>()[0] = 7;
  gpu.log.clear();
  test.net.SeeMetrics(test.ctx);
  EXPECT_EQ(metrics[0].seen.as<double>()[0], 7);
  EXPECT_EQ(gpu.log.size(), 2u);  // all metrics of a layer are one copy
  EXPECT_EQ(gpu.log.back(), "the host awaits stream 1");
}

}  // namespace net_test
}  // namespace singa
