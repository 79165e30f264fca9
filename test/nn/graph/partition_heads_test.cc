// Tests attention whose heads the workers of a group divide.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "nn/plan/net_builder.h"
#include "support/layer_test.h"
#include "support/nn/divided_net.h"

namespace singa::partition_heads {
namespace {

// Eight rows of `steps` time steps: an embedding, attention on its 8 units, scores.
std::string Net(int steps, const std::string& settings, const std::string& division) {
  const std::string one = StrCat(" unroll_conn_type: kUnrollOneToOne unroll_len: ", steps, " ");
  return StrCat(R"(layer { name: "data" user_type: "TestInput" unroll_len: 1
              dummy_conf { shape: 8 shape: 4 } split_conf { num_splits: )",
                steps, R"( } }
      layer { name: "embed" user_type: "TestLinear" srclayers: "data" param { name: "e" }
              innerproduct_conf { num_output: 8 } )",
                one, R"( }
      layer { name: "mix" type: kAttention srclayers: "embed" attention_conf { )",
                settings, " } ", division, one, R"( }
      layer { name: "out" user_type: "TestLinear" srclayers: "mix" param { name: "o" }
              innerproduct_conf { num_output: 3 } )",
                one, R"( }
      layer { name: "loss" user_type: "TestLoss" srclayers: "out" )",
                one, " }");
}

constexpr char kByUnits[] = "partition_dim: 1";

// The part of one worker, with nothing allocated.
TestNet PartOfWorker(int worker, int workers, const std::string& text) {
  NetOptions options;
  options.parts = workers;
  options.worker = worker;
  return TestNet(text, options, false);
}

std::vector<const NetNode*> StagesOf(const TestNet& part) {
  std::vector<const NetNode*> stages;
  for (const NetNode& node : part.net.nodes())
    if (node.name == "mix") stages.push_back(&node);
  return stages;
}

TEST(PartitionHeads, AWorkerHasItsHeadsThenItsUnits) {
  const TestNet part = PartOfWorker(1, 2, Net(5, "num_heads: 4", kByUnits));
  const std::vector<const NetNode*> stages = StagesOf(part);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0]->full_name, "mix+1@1");
  EXPECT_EQ(stages[1]->full_name, "mix+2@1");
  EXPECT_EQ(stages[0]->in[0]->data.shape(), Shape({5, 8, 8}));
  EXPECT_EQ(stages[0]->out[0]->data.shape(), Shape({5, 8, 4}));
  EXPECT_EQ(stages[1]->in[0]->data.shape(), Shape({40, 8}));
  EXPECT_EQ(stages[1]->out[0]->data.shape(), Shape({40, 4}));
  for (const NetNode* stage : stages) {
    EXPECT_EQ(stage->out[0]->units.first, 4);
    EXPECT_EQ(stage->out[0]->units.all, 8);
  }
}

// Each worker computes the gradient of its own heads' rows of w_in and b_in.
TEST(PartitionHeads, ParamsHaveTheNamesAndShapesOfOneWorker) {
  const std::string text = Net(5, "num_heads: 4", kByUnits);
  const TestNet one = PartOfWorker(0, 1, text), part = PartOfWorker(1, 2, text);
  ASSERT_EQ(one.params.params().size(), part.params.params().size());
  for (size_t i = 0; i < one.params.params().size(); ++i) {
    EXPECT_EQ(part.params.params()[i]->name(), one.params.params()[i]->name());
    EXPECT_EQ(part.params.params()[i]->whole_shape(), one.params.params()[i]->shape());
  }
  const auto has = [&](const char* name, const Shape& shape, int contributors) {
    const Param* const param = part.params.Find(name);
    ASSERT_TRUE(param) << name;
    EXPECT_EQ(param->shape(), shape) << name;
    EXPECT_EQ(param->contributors(), contributors) << name;
  };
  has("mix_0", {24, 8}, 0);
  has("mix_1", {24}, 0);
  has("mix_2", {4, 8}, 1);
  has("mix_3", {4}, 1);
}

TEST(PartitionHeads, ABridgeStandsBetweenTheStages) {
  const TestNet part = PartOfWorker(0, 2, Net(3, "num_heads: 2", kByUnits));
  std::vector<std::string> names;
  for (const NetNode& node : part.net.nodes()) names.push_back(node.full_name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "data@0", "embed@0", "bridge_src(embed->mix)@0", "bridge_dst(embed->mix)@0",
                       "mix+1@0", "bridge_src(mix->mix)@0", "bridge_dst(mix->mix)@0", "mix+2@0",
                       "bridge_src(mix->out)@0", "bridge_dst(mix->out)@0", "out@0", "loss@0"}));
}

TEST(PartitionHeads, WorkersThatCannotHaveAsManyHeadsEachHaveRows) {
  for (const auto& [workers, heads] : {std::pair(4, 2), std::pair(2, 1)}) {
    const TestNet part = PartOfWorker(1, workers, Net(3, StrCat("num_heads: ", heads), kByUnits));
    ASSERT_EQ(StagesOf(part).size(), 1u);
    EXPECT_EQ(StagesOf(part)[0]->out[0]->data.shape(), Shape({3, 8 / workers, 8}));
    EXPECT_EQ(part.params.Find("mix_2")->shape(), Shape({8, 8}));
  }
}

TEST(PartitionHeads, WorkersTogetherComputeTheNetOfOne) {
  for (const int workers : {2, 4})
    for (const int steps : {2, 7})
      for (const char* settings : {"num_heads: 4", "num_heads: 8 causal: false bias_term: false",
                                   "num_heads: 4 dropout_ratio: 0.4"})
        ExpectTheNetOfOne(Net(steps, settings, kByUnits), workers);
}

// 200 steps are several blocks of the vector kernels.
TEST(PartitionHeads, WorkersTogetherComputeLongSequences) {
  ExpectTheNetOfOne(Net(200, "num_heads: 2 dropout_ratio: 0.1", kByUnits), 2);
}

TEST(PartitionHeads, RowsAndHeadsAreDividedAtOnce) {
  const std::string settings = "num_heads: 2 dropout_ratio: 0.3";
  for (const char* division : {"partition_grid { rows: 2 units: 2 }", "partition_grid {}"})
    ExpectTheNetOfOne(Net(3, settings, division), 4);
}

TEST(PartitionHeads, AnUnfoldedNetIsDividedToo) {
  NetOptions options;
  options.fold = false;
  ExpectTheNetOfOne(Net(3, "num_heads: 4 dropout_ratio: 0.3", kByUnits), 2, options);
}

TEST(PartitionHeads, AllTensorsMayHaveMemoryOfTheirOwn) {
  ExpectTheNetOfOne(Net(3, "num_heads: 4", kByUnits), 4, KeepAll());
}

// Named params, which one layer of the conf names once.
TEST(PartitionHeads, ParamsMayHaveNamesOfTheirOwn) {
  const std::string names =
      StrCat(kByUnits,
             R"( param { name: "w" } param { name: "b" } param { name: "v" } param { name: "c" })");
  const TestNet part = PartOfWorker(1, 2, Net(3, "num_heads: 4", names));
  EXPECT_EQ(part.params.Find("w")->shape(), Shape({24, 8}));
  EXPECT_EQ(part.params.Find("v")->shape(), Shape({4, 8}));
  ExpectTheNetOfOne(Net(3, "num_heads: 4", names), 2);
}

TEST(PartitionHeads, GradientsOfSeveralBatchesAddUp) {
  DividedNet divided(Net(4, "num_heads: 2", kByUnits), 2);
  divided.Step();
  const std::vector<float> once = divided.Grad("mix_0");
  for (TestNet& part : divided.parts()) part.net.set_adds_gradients(true);
  divided.Step();
  const std::vector<float> twice = divided.Grad("mix_0");
  for (size_t i = 0; i < once.size(); ++i)
    EXPECT_NEAR(twice[i], 2 * once[i], 1e-5 * std::max(1.f, std::abs(once[i]))) << i;
}

// A block of a transformer on four time steps. `division` says how each layer is divided.
std::string Block(const std::function<std::string()>& division) {
  std::string text = R"(
      layer { name: "data" user_type: "TestInput" unroll_len: 1 dummy_conf { shape: 8 shape: 4 }
              split_conf { num_splits: 4 } }
)";
  const auto add = [&](const std::string& name, const std::string& what,
                       const std::vector<std::string>& sources) {
    text += StrCat("layer { name: '", name, "' unroll_len: 4 ", what, " ", division());
    for (const std::string& source : sources)
      text += StrCat(" srclayers: '", source, "' unroll_conn_type: kUnrollOneToOne");
    text += " }\n";
  };
  add("embed", "type: kInnerProduct innerproduct_conf { num_output: 8 }", {"data"});
  add("norm1", "type: kLayerNorm", {"embed"});
  add("mix", "type: kAttention attention_conf { num_heads: 4 dropout_ratio: 0.2 }", {"norm1"});
  add("sum1", "type: kEltwise", {"embed", "mix"});
  add("norm2", "type: kLayerNorm", {"sum1"});
  add("wide", "type: kInnerProduct innerproduct_conf { num_output: 20 }", {"norm2"});
  add("gelu", "type: kActivation activation_conf { type: GELU }", {"wide"});
  add("narrow", "type: kInnerProduct innerproduct_conf { num_output: 8 }", {"gelu"});
  add("sum2", "type: kEltwise", {"sum1", "narrow"});
  add("loss", "user_type: 'TestLoss'", {"sum2"});
  return text;
}

TEST(PartitionHeads, ATransformersBlockIsTheNetOfOne) {
  for (const int workers : {2, 4}) ExpectTheNetOfOne(Block([] { return kByUnits; }), workers);
}

TEST(PartitionHeads, ABlockMayBeDividedInAnyMixture) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    std::mt19937 random(seed);
    const std::string block = Block([&] {
      constexpr const char* kDivisions[] = {"", "partition_grid {}", kByUnits,
                                            "partition_grid { rows: 2 units: 2 }"};
      return std::string(kDivisions[random() % 4]);
    });
    ExpectTheNetOfOne(block, 4);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace singa::partition_heads
