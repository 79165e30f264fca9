// Tests what PrepareNet tells the layers, what the layers tell it, and the memory that it counts.
// plan_side_test tests the places of tensors; too_little_memory_test tests the largest layers.
#include "nn/plan/prepare_net.h"

#include "singa/base/error.h"
#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace prepare_net_test {

constexpr char kNet[] = R"(
  layer { name: "x" type: kDummy dummy_conf { input: true shape: 4 shape: 5 } }
  layer { name: "t" type: kDummy dummy_conf { input: true shape: 4 shape: 2 } }
  layer { name: "fixed" type: kInnerProduct srclayers: "x"
          innerproduct_conf { num_output: 3 bias_term: false } param { name: "f" lr_scale: 0 } }
  layer { name: "low" type: kInnerProduct srclayers: "fixed"
          innerproduct_conf { num_output: 3 bias_term: false } param { name: "l" } }
  layer { name: "high" type: kInnerProduct srclayers: "low"
          innerproduct_conf { num_output: 2 bias_term: false } param { name: "h" } }
  layer { name: "loss" type: kEuclideanLoss srclayers: "high" srclayers: "t" })";

TEST(WantsGrad, SaysBeforeThereIsMemoryWhichGradientsGetSome) {
  TestNet test(kNet, KeepAll());
  for (const NetNode& node : test.net.nodes()) {
    for (const Port* port : node.in) EXPECT_EQ(port->wants_grad, !port->grad.empty()) << node.name;
    for (const Port* port : node.out) EXPECT_EQ(port->wants_grad, !port->grad.empty()) << node.name;
  }
  EXPECT_FALSE(test.net.Find("low")->in[0]->wants_grad);
  EXPECT_TRUE(test.net.Find("low")->out[0]->wants_grad);
  EXPECT_TRUE(test.net.Find("high")->in[0]->wants_grad);
}

TEST(WantsGrad, NobodyDoesWhereNothingTrains) {
  NetOptions options;
  options.gradients = false;
  TestNet test(kNet, options);
  for (const NetNode& node : test.net.nodes()) {
    for (const Port* port : node.in) EXPECT_FALSE(port->wants_grad) << node.name;
    for (const Port* port : node.out) EXPECT_FALSE(port->wants_grad) << node.name;
  }
}

// FindsItsMistakeLate has a setting that only its plan shows to be wrong.
class FindsItsMistakeLate final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void Prepare(Context&, Declare&, Inputs, Outputs) override {
    throw ConfigError("own_conf.size", "does not fit");
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(FindsItsMistakeLate, FindsItsMistakeLate);

// KeepsNumbers keeps 10 floats for its rows, a metric, and 100 bytes of its own. KeepsNumbersThere
// does so on the device.
class KeepsNumbers : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    declare.RowBuffer("state", {2, 5}, in[0]->span);
    declare.Buffer({1000}, Keep::kStep);
    declare.Metric("loss");
    declare.Keeps(100);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(KeepsNumbers, KeepsNumbers);
class KeepsNumbersThere final : public KeepsNumbers {
 public:
  Traits traits() const override { return {.on_device = true}; }
};
SINGA_REGISTER_LAYER(KeepsNumbersThere, KeepsNumbersThere);

constexpr int64_t kKept = 64 + 64 + 100;  // the buffer and the metric have aligned places

// Returns a net with one layer of that type, which PrepareNet has not seen yet.
std::unique_ptr<TestNet> Unprepared(const std::string& type) {
  return std::make_unique<TestNet>(
      StrCat("layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 2 shape: 3 } } ",
             "layer { name: 'own' user_type: '", type, "' srclayers: 'data' }"),
      NetOptions(), false);
}

TEST(PrepareNet, AMistakeThatALayerFindsIsUnderTheLayersPath) {
  const auto test = Unprepared("FindsItsMistakeLate");
  try {
    PrepareNet(test->ctx, &test->net);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "layer[own].own_conf.size");
    EXPECT_EQ(error.message(), "does not fit");
  }
}

TEST(PrepareNet, CountsWhatLastsForever) {
  const auto test = Unprepared("KeepsNumbers");
  const NetMemory memory = PrepareNet(test->ctx, &test->net);
  EXPECT_EQ(memory.forever, kKept);
  EXPECT_EQ(memory.host_forever, 0);
  EXPECT_EQ(memory.host_arena, 0);
}

TEST(PrepareNet, OnADeviceCountsEachLayerOnItsSide) {
  PromptGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  for (const bool there : {false, true}) {
    const auto test = Unprepared(there ? "KeepsNumbersThere" : "KeepsNumbers");
    test->ctx.stream = stream.get();
    const NetMemory memory = PrepareNet(test->ctx, &test->net);
    EXPECT_EQ(test->net.Find("own")->on_device, there);
    EXPECT_EQ(memory.forever, there ? kKept : 0);
    EXPECT_EQ(memory.host_forever, there ? 0 : kKept);
  }
}

// The data of 2 rows of 3 floats, and their 2 labels, are staged.
TEST(PrepareNet, CountsABatchOnItsWayToTheDevice) {
  PromptGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream(), beside = gpu.NewStream();
  const auto test = Unprepared("KeepsNumbersThere");
  test->ctx.stream = stream.get();
  test->ctx.uploads = beside.get();
  EXPECT_EQ(PrepareNet(test->ctx, &test->net).forever, kKept + 2 * 3 * 4 + 2 * 4);
}

TEST(PrepareNet, ListsTheKernelsOfEachLayer) {
  std::vector<KernelChoice> choices;
  TestNet test(kNet, {}, false);
  test.ctx.choices = &choices;
  test.ctx.plain = true;
  PrepareNet(test.ctx, &test.net);
  std::vector<std::string> layers;
  for (const KernelChoice& choice : choices) {
    EXPECT_EQ(choice.kernel, "plain") << choice.layer << " " << choice.slot;
    if (layers.empty() || layers.back() != choice.layer) layers.push_back(choice.layer);
  }
  EXPECT_EQ(layers, (std::vector<std::string>{"x", "t", "fixed", "low", "high", "loss"}));
}

TEST(PrepareNet, ListsNoKernelsOfALayerWhoseSourceDoesItsWork) {
  std::vector<KernelChoice> choices;
  TestNet test(R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 6 shape: 3 } }
    layer { name: "norm" type: kBM srclayers: "data" param { name: "gamma" } param { name: "beta" }
            param { name: "mean" } param { name: "variance" } }
    layer { name: "relu" type: kReLU srclayers: "norm" }
    layer { name: "loss" user_type: "TestLoss" srclayers: "relu" })",
               {}, false);
  ASSERT_TRUE(test.net.Find("relu")->fused);
  test.ctx.choices = &choices;
  PrepareNet(test.ctx, &test.net);
  EXPECT_FALSE(choices.empty());
  for (const KernelChoice& choice : choices) EXPECT_EQ(choice.layer, "norm") << choice.slot;
}

}  // namespace prepare_net_test
}  // namespace singa
