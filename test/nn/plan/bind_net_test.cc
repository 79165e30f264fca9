// Tests which memory the tensors of a net get.
#include "nn/plan/bind_net.h"

#include <string>

#include "nn/plan/net_layout.h"
#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace bind_net_test {

// ChecksThere computes on the device. The host checks its source.
class ChecksThere final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  Traits traits() const override { return {.on_device = true, .checks = 1}; }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(ChecksThere, ChecksThere);

constexpr char kNet[] = R"(
  layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
  layer { name: "fc" user_type: "TestLinear" srclayers: "data" param { name: "w" }
          innerproduct_conf { num_output: 4 } }
  layer { name: "loss" user_type: "TestLoss" srclayers: "fc" })";

bool IsIn(const Tensor& arena, const void* memory) {
  const auto* const at = static_cast<const char*>(memory);
  return at >= arena.as<char>() && at < arena.as<char>() + arena.bytes();
}

TEST(BindNet, AReaderSeesTheMemoryOfItsSource) {
  TestNet test(kNet);
  const NetNode &fc = *test.net.Find("fc"), &loss = *test.net.Find("loss");
  EXPECT_EQ(loss.in[0]->data.data(), fc.out[0]->data.data());
  EXPECT_EQ(loss.in[0]->grad.data(), fc.out[0]->grad.data());
  EXPECT_EQ(fc.in[0]->label.as<int32_t>(), test.net.Find("data")->out[0]->label.as<int32_t>());
}

TEST(BindNet, FeaturesAreInTheArenaAndMetricsAreNot) {
  TestNet test(kNet, {}, false);
  const NetArena arena = NetArena::Allocate(test.ctx, PrepareNet(test.ctx, &test.net));
  BindNet(test.ctx, arena, &test.net);
  const NetNode& loss = *test.net.Find("loss");
  EXPECT_TRUE(IsIn(arena.main, loss.in[0]->data.data()));
  EXPECT_TRUE(IsIn(arena.main, loss.in[0]->grad.data()));
  EXPECT_FALSE(IsIn(arena.main, loss.declared().metrics[0].cell.as<void>()));
}

TEST(BindNet, NetsThatTakeTurnsMayUseOneArena) {
  TestNet one(kNet);
  one.Forward();
  const double loss = one.TakeLoss();
  TestNet other(kNet, {}, false), wide(kNet, {}, false);
  const NetArena arena = NetArena::Allocate(other.ctx, PrepareNet(other.ctx, &other.net));
  PrepareNet(wide.ctx, &wide.net);
  for (TestNet* test : {&other, &wide}) {
    for (const auto& param : test->params.params()) {
      param->data = Tensor::Allocate(param->shape());
      FillUniform(param->name(), &param->data);
    }
    BindNet(test->ctx, arena, &test->net);
  }
  EXPECT_EQ(other.net.Find("fc")->out[0]->data.data(), wide.net.Find("fc")->out[0]->data.data());
  for (TestNet* test : {&other, &wide, &other}) {
    test->Forward();
    EXPECT_EQ(test->TakeLoss(), loss);
  }
}

// Each step is 2 rows of 4 numbers.
TEST(BindNet, TimeStepsOfAnOutputLieOneAfterTheOther) {
  NetOptions unfold = KeepAll();
  unfold.fold = false;
  TestNet test(R"(unroll_len: 3
      layer { name: "text" user_type: "TestInput" unroll_len: 1 split_conf { num_splits: 3 }
              dummy_conf { shape: 2 shape: 4 } }
      layer { name: "fc" user_type: "TestLinear" srclayers: "text" param { name: "e" }
              innerproduct_conf { num_output: 5 } })",
               unfold);
  const NetNode& text = *test.net.Find("text");
  const float* const first = text.out[0]->data.data();
  EXPECT_EQ(text.out[1]->data.data(), first + 8);
  EXPECT_EQ(text.out[2]->data.data(), first + 16);
  for (const NetNode& node : test.net.nodes()) {
    if (node.name != "fc") continue;
    EXPECT_EQ(node.in[0]->data.data(), first + 8 * node.conf.unroll_index()) << node.full_name;
  }
}

TEST(BindNet, TheHostHasACopyOfWhatItChecksForALayerOnTheDevice) {
  TestNet test(
      "layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 2 shape: 3 } } "
      "layer { name: 'there' user_type: 'ChecksThere' srclayers: 'data' }",
      {}, false);
  PromptGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  test.ctx.stream = stream.get();
  const NetArena arena = NetArena::Allocate(test.ctx, PrepareNet(test.ctx, &test.net));
  BindNet(test.ctx, arena, &test.net);
  const NetNode& there = *test.net.Find("there");
  EXPECT_TRUE(there.on_device);
  EXPECT_TRUE(IsIn(arena.main, there.in[0]->data.data()));
  EXPECT_TRUE(IsIn(arena.host, there.checked[0]->data.data()));
  EXPECT_TRUE(IsIn(arena.host, test.net.Find("data")->out[0]->data.data()));
}

}  // namespace bind_net_test
}  // namespace singa
