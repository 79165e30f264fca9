// Tests which tensors of a net share memory.
#include "nn/plan/plan_side.h"

#include <string>

#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace plan_side_test {

// HasBuffers keeps a buffer of each kind, and needs scratch memory.
class HasBuffers final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    declare.Buffer({5}, Keep::kStep);
    declare.Buffer({5}, Keep::kForwardToBackward);
    declare.RowBuffer("rows", {2, 5}, in[0]->span);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  Traits traits() const override { return {.on_device = true}; }
  void Prepare(Context&, Declare& declare, Inputs, Outputs) override { declare.Scratch(1000); }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(HasBuffers, HasBuffers);

std::string Linear(const std::string& name, const std::string& source) {
  return StrCat("layer { name: '", name, "' user_type: 'TestLinear' srclayers: '", source,
                "' innerproduct_conf { num_output: 3 } param { name: 'w", name, "' } }\n");
}

const std::string kInput =
    "layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 2 shape: 3 } }\n";

// All features of the net have the same size.
struct PlannedNet : TestNet {
  explicit PlannedNet(const std::string& layers, NetOptions options = {})
      : TestNet(kInput + layers, options, false) {
    memory = PrepareNet(ctx, &net);
  }
  const SideLayout& side() const { return net.layout().sides[kHostSide]; }
  // Return the place of output 0 of a layer, and of its gradient.
  int64_t Data(const std::string& name) { return side().plan.Offset(Of(name).data); }
  int64_t Grad(const std::string& name) { return side().plan.Offset(Of(name).grad); }
  const ValueTensors& Of(const std::string& name) {
    return side().tensors[net.layout().graph[net.Find(name)->place].out[0].value];
  }
  NetMemory memory;
};

NetOptions Testing() {
  NetOptions options;
  options.gradients = false;
  return options;
}

const std::string kChain = Linear("a", "data") + Linear("b", "a") + Linear("c", "b");

TEST(PlanSide, AFeatureTakesThePlaceOfOneThatNobodyReadsAnyMore) {
  PlannedNet net(kChain, Testing());
  EXPECT_NE(net.Data("a"), net.Data("data"));
  EXPECT_EQ(net.Data("b"), net.Data("data"));
  EXPECT_EQ(net.Data("c"), net.Data("a"));
  EXPECT_LT(net.memory.arena, net.memory.unplanned);
}

TEST(PlanSide, WithoutReuseEachTensorHasItsOwnPlace) {
  NetOptions options = Testing();
  options.reuse = false;
  PlannedNet net(kChain, options);
  EXPECT_NE(net.Data("b"), net.Data("data"));
  EXPECT_NE(net.Data("c"), net.Data("a"));
  EXPECT_EQ(net.memory.arena, net.memory.unplanned);
}

// "loss" computes its gradient first. The gradients of "c" and "b" are in use while those of their
// layers still read the features of "b" and "a".
TEST(PlanSide, AFeatureThatAGradientReadsLastsIntoTheBackwardPass) {
  PlannedNet net(kChain + "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'c' }");
  EXPECT_NE(net.Grad("c"), net.Data("b"));
  EXPECT_NE(net.Grad("c"), net.Data("a"));
  EXPECT_NE(net.Grad("b"), net.Data("a"));
  const int64_t done = net.Grad("a");  // the features of "b" and "c" are not read any more
  EXPECT_TRUE(done == net.Data("b") || done == net.Data("c")) << done;
}

TEST(PlanSide, AnInPlaceLayerWritesOverItsSource) {
  const std::string layers = Linear("a", "data") +
                             "layer { name: 'relu' type: kReLU srclayers: 'a' } " +
                             "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'relu' }";
  PlannedNet net(layers);
  EXPECT_EQ(net.Data("relu"), net.Data("a"));
  EXPECT_EQ(net.Grad("relu"), net.Grad("a"));
  PlannedNet apart(layers, KeepAll());
  EXPECT_NE(apart.Data("relu"), apart.Data("a"));
  EXPECT_NE(apart.Grad("relu"), apart.Grad("a"));
}

TEST(PlanSide, AnInPlaceLayerKeepsASourceThatAnotherReads) {
  PlannedNet net(Linear("a", "data") + "layer { name: 'relu' type: kReLU srclayers: 'a' } " +
                 "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'a' srclayers: 'relu' }");
  EXPECT_NE(net.Data("relu"), net.Data("a"));
}

std::string TwoSources(const std::string& first, const std::string& second,
                       const std::string& operation = "SUM") {
  return StrCat("layer { name: 'sum' type: kEltwise srclayers: '", first, "' srclayers: '", second,
                "' eltwise_conf { operation: ", operation,
                " } } layer { name: 'loss' user_type: 'TestLoss' srclayers: 'sum' }");
}

// No other layer reads the branch, so the sum may take its place.
TEST(PlanSide, AResidualSumWritesOverItsFirstSource) {
  PlannedNet net(Linear("a", "data") + Linear("b", "a") + TwoSources("b", "a"));
  EXPECT_EQ(net.Data("sum"), net.Data("b"));
  EXPECT_EQ(net.Grad("sum"), net.Grad("b"));
  EXPECT_NE(net.Data("sum"), net.Data("a"));
}

TEST(PlanSide, AResidualSumWhoseFirstSourceIsTheShortcutKeepsIt) {
  PlannedNet net(Linear("a", "data") + Linear("b", "a") + TwoSources("a", "b"));
  EXPECT_NE(net.Data("sum"), net.Data("a"));
}

// The gradient of a product reads its sources.
TEST(PlanSide, ALayerWhoseGradientReadsItsInputSharesTheGradientsPlaceAlone) {
  PlannedNet net(Linear("a", "data") + Linear("b", "a") + TwoSources("b", "a", "PROD"));
  EXPECT_NE(net.Data("sum"), net.Data("b"));
  EXPECT_EQ(net.Grad("sum"), net.Grad("b"));
  PlannedNet test(Linear("a", "data") + Linear("b", "a") + TwoSources("b", "a", "PROD"), Testing());
  EXPECT_EQ(test.Data("sum"), test.Data("b"));
}

const std::string kBuffers =
    "layer { name: 'buffers' user_type: 'HasBuffers' srclayers: 'data' }\n";

TEST(PlanSide, ABufferThatLastsForeverIsNotInTheArena) {
  PlannedNet net(kBuffers);
  const std::vector<int>& buffers = net.side().buffers;
  ASSERT_EQ(buffers.size(), 3u);
  EXPECT_GE(buffers[0], 0);
  EXPECT_GE(buffers[1], 0);
  EXPECT_EQ(buffers[2], -1);
  EXPECT_GE(net.memory.arena, 1000);  // scratch
}

TEST(PlanSide, ALayerOnTheDeviceHasItsBuffersThere) {
  TestNet test(kInput + kBuffers, {}, false);
  PromptGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  test.ctx.stream = stream.get();
  const NetMemory memory = PrepareNet(test.ctx, &test.net);
  const auto& sides = test.net.layout().sides;
  EXPECT_EQ(sides[kHostSide].buffers, (std::vector<int>{-1, -1, -1}));
  EXPECT_GE(sides[kDeviceSide].buffers[0], 0);
  EXPECT_GE(memory.arena, 1000);
  EXPECT_LT(memory.host_arena, 1000);
}

}  // namespace plan_side_test
}  // namespace singa
