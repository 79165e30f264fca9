// Tests a net planned for several workers: shapes, pieces and bridges, with nothing allocated.
#include "support/net_test.h"

namespace singa {
namespace {

constexpr char kHybrid[] = R"(
  layer { name: "data" user_type: "TestInput" dummy_conf { shape: 64 shape: 6 } }
  layer { name: "fc1" user_type: "TestLinear" srclayers: "data" param { name: "w1" }
          innerproduct_conf { num_output: 8 } }
  layer { name: "fc2" user_type: "TestLinear" srclayers: "fc1" param { name: "w2" }
          innerproduct_conf { num_output: 10 } partition_dim: 1 }
  layer { name: "fc3" user_type: "TestLinear" srclayers: "fc2" param { name: "w3" }
          innerproduct_conf { num_output: 7 } partition_dim: 1 }
  layer { name: "loss" user_type: "TestLoss" srclayers: "fc3" })";

struct Plan {
  std::vector<ParamTable> tables;
  Net net;
  NetMemory memory;

  Plan(int parts, int worker) : tables(parts) {
    ConfigErrors errors;
    std::vector<ParamTable*> pointers;
    for (ParamTable& table : tables) pointers.push_back(&table);
    NetOptions options;
    options.parts = parts;
    options.worker = worker;
    options.units = true;
    net = BuildNet(ParseNet(kHybrid), options, pointers, &errors);
    for (const ConfigError& error : errors) ADD_FAILURE() << error.what();
    StepState state;
    Context ctx;
    ctx.state = &state;
    memory = PrepareNet(ctx, &net);
  }
  Shape Out(const std::string& name) { return net.Find(name)->out[0]->data.shape(); }
};

TEST(Partition, WorkersOfAGroupShareOneBatchOfUnevenRows) {
  const int64_t rows[] = {21, 21, 22}, first[] = {0, 21, 42};
  for (int i = 0; i < 3; ++i) {
    Plan plan(3, i);
    const RowSpan& span = plan.net.Find("data")->out[0]->span;
    EXPECT_EQ(span.rows, rows[i]);
    EXPECT_EQ(span.first, first[i]);
    EXPECT_EQ(span.batch, 64);
    EXPECT_EQ(plan.Out("fc1"), Shape({rows[i], 8}));
  }
}

TEST(Partition, ALayerCutByUnitsSeesAllRowsAndItsUnits) {
  const int64_t units2[] = {3, 3, 4}, units3[] = {2, 2, 3};
  for (int i = 0; i < 3; ++i) {
    Plan plan(3, i);
    EXPECT_EQ(plan.Out("fc2"), Shape({64, units2[i]}));
    EXPECT_EQ(plan.Out("fc3"), Shape({64, units3[i]}));
    EXPECT_EQ(plan.tables[i].Find("w2")->shape(), Shape({units2[i], 8}));
    EXPECT_EQ(plan.tables[i].Find("w3")->shape(), Shape({units3[i], 10}));
  }
}

TEST(Partition, RowsComeBackInTheirOrderBeforeTheLoss) {
  const int64_t rows[] = {21, 21, 22};
  for (int i = 0; i < 3; ++i) {
    Plan plan(3, i);
    const NetNode* concate = plan.net.Find("concate(fc3->loss)");
    ASSERT_NE(concate, nullptr);
    ASSERT_EQ(concate->in.size(), 3u);
    for (int j = 0; j < 3; ++j)  // piece j has worker j's units of worker i's rows
      EXPECT_EQ(concate->in[j]->data.shape(), Shape({rows[i], j == 2 ? 3 : 2}));
    EXPECT_EQ(plan.Out("loss"), Shape({rows[i], 7}));
    EXPECT_EQ(concate->out[0]->span.first, 21 * i);
  }
}

TEST(Partition, EachPieceForAnotherWorkerCrossesOneBridge) {
  Plan plan(3, 0);
  int src = 0, dst = 0;
  for (const NetNode& node : plan.net.nodes()) {
    src += node.conf.type() == kBridgeSrc;
    dst += node.conf.type() == kBridgeDst;
  }
  EXPECT_EQ(src, 6);  // data moves at fc1 -> fc2, fc2 -> fc3 and fc3 -> loss, to 2 workers each
  EXPECT_EQ(dst, 6);
}

TEST(Partition, PlanningAllocatesNoTensor) {
  Plan plan(3, 1);
  for (const NetNode& node : plan.net.nodes()) {
    for (const Port* port : node.in) EXPECT_TRUE(port->data.empty()) << node.full_name;
    for (const Port* port : node.out) EXPECT_TRUE(port->data.empty()) << node.full_name;
  }
  for (const ParamTable& table : plan.tables)
    for (const auto& param : table.params()) EXPECT_TRUE(param->data.empty());
  EXPECT_GT(plan.memory.arena, 0);
}
}  // namespace
}  // namespace singa
