// Tests nets that the workers of a group divide by rows, by units, and in mixtures of both.
#include "support/layer_test.h"
#include "support/nn/divided_net.h"

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

// The part of one worker, with nothing allocated.
TestNet PartOfWorker(int worker, int workers, const std::string& text = kHybrid) {
  NetOptions options;
  options.parts = workers;
  options.worker = worker;
  return TestNet(text, options, false);
}

TEST(Partition, WorkersOfAGroupShareOneBatchOfUnevenRows) {
  const int64_t rows[] = {21, 21, 22}, first[] = {0, 21, 42};
  for (int i = 0; i < 3; ++i) {
    TestNet part = PartOfWorker(i, 3);
    const RowSpan& span = part.net.Find("data")->out[0]->span;
    EXPECT_EQ(span.rows, rows[i]);
    EXPECT_EQ(span.first, first[i]);
    EXPECT_EQ(span.batch, 64);
    EXPECT_EQ(part.net.batch(), 64);
    EXPECT_EQ(part.net.rows(), rows[i]);
    EXPECT_EQ(part.net.Find("fc1")->out[0]->data.shape(), Shape({rows[i], 8}));
  }
}

TEST(Partition, ALayerDividedByUnitsSeesAllRowsAndItsUnits) {
  const int64_t units2[] = {3, 3, 4}, units3[] = {2, 2, 3};
  for (int i = 0; i < 3; ++i) {
    TestNet part = PartOfWorker(i, 3);
    EXPECT_EQ(part.net.Find("fc2")->out[0]->data.shape(), Shape({64, units2[i]}));
    EXPECT_EQ(part.net.Find("fc3")->out[0]->data.shape(), Shape({64, units3[i]}));
    EXPECT_EQ(part.params.Find("w2")->shape(), Shape({units2[i], 8}));
    EXPECT_EQ(part.params.Find("w3")->shape(), Shape({units3[i], 10}));
    EXPECT_EQ(part.params.Find("w3")->whole_shape(), Shape({7, 10}));
    EXPECT_EQ(part.net.Find("loss")->out[0]->span.rows, i == 2 ? 22 : 21);
  }
}

TEST(Partition, ABridgeStandsWhereTheNextLayerIsDividedInAnotherWay) {
  TestNet part = PartOfWorker(0, 3);
  std::vector<std::string> bridges;
  for (const NetNode& node : part.net.nodes())
    if (node.name.starts_with("bridge")) bridges.push_back(node.name);
  EXPECT_EQ(bridges, (std::vector<std::string>{"bridge_src(fc1->fc2)", "bridge_dst(fc1->fc2)",
                                               "bridge_src(fc2->fc3)", "bridge_dst(fc2->fc3)",
                                               "bridge_src(fc3->loss)", "bridge_dst(fc3->loss)"}));
}

TEST(Partition, RowsAloneNeedNoBridge) {
  TestNet part = PartOfWorker(1, 2, R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 6 shape: 4 } }
    layer { name: "fc" user_type: "TestLinear" srclayers: "data" param { name: "w" }
            innerproduct_conf { num_output: 3 } }
    layer { name: "loss" user_type: "TestLoss" srclayers: "fc" partition_dim: 1 })");
  EXPECT_EQ(part.net.nodes().size(), 3u);
}

// A softmax needs all units of a row, and a recurrent layer those of the last step.
TEST(Partition, ALayerThatCannotBeDividedByUnitsIsDividedByRows) {
  TestNet part = PartOfWorker(1, 2, R"(
    partition_dim: 1
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 8 shape: 4 } }
    layer { name: "gru" type: kGRU srclayers: "data" gru_conf { dim_hidden: 3 bias_term: false }
            param {} param {} param {} param {} param {} param {} }
    layer { name: "softmax" type: kSoftmax srclayers: "gru" }
    layer { name: "loss" user_type: "TestLoss" srclayers: "softmax" })");
  EXPECT_EQ(part.net.nodes().size(), 4u);
  for (const char* name : {"gru", "softmax"})
    EXPECT_EQ(part.net.Find(name)->out[0]->data.shape(), Shape({4, 3}));
}

TEST(Partition, WorkersTogetherComputeTheNetOfOne) {
  for (const int workers : {2, 3, 5}) ExpectTheNetOfOne(kHybrid, workers);
  ExpectTheNetOfOne(kHybrid, 3, KeepAll());
}

// Pictures: convolution, pooling and ReLU by channels, before and after layers by rows.
TEST(Partition, ImagesAreDividedByChannels) {
  const std::string text = R"(
    layer { name: "data" type: kDummy dummy_conf { input: true shape: 7 shape: 3 shape: 9 shape: 8 } }
    layer { name: "conv1" type: kCConvolution srclayers: "data" param { name: "w1" } param { name: "b1" }
            convolution_conf { num_filters: 6 kernel: 3 pad: 1 } PART }
    layer { name: "relu1" type: kReLU srclayers: "conv1" PART }
    layer { name: "pool1" type: kPooling srclayers: "relu1" pooling_conf { pool: MAX kernel: 2 stride: 2 }
            PART }
    layer { name: "norm1" type: kLRN srclayers: "pool1" lrn_conf { local_size: 3 } partition_dim: 1 }
    layer { name: "conv2" type: kConvolution srclayers: "norm1" param { name: "w2" } param { name: "b2" }
            convolution_conf { num_filters: 5 kernel: 3 } PART }
    layer { name: "fc" type: kInnerProduct srclayers: "conv2" param { name: "w3" } param { name: "b3" }
            innerproduct_conf { num_output: 4 } PART }
    layer { name: "loss" user_type: "TestLoss" srclayers: "fc" })";
  for (int cut = 1; cut < 32; cut += 5) {  // some of all 32 mixtures
    std::string conf = text;
    for (int bit = 0; bit < 5; ++bit)
      conf.replace(conf.find("PART"), 4, StrCat("partition_dim: ", cut >> bit & 1));
    ExpectTheNetOfOne(conf, cut % 2 ? 2 : 3);
  }
}

// Two readers in the same layout share a bridge; the others have theirs.
TEST(Partition, ReadersShareABridge) {
  const std::string text = R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 8 shape: 6 } }
    layer { name: "a" user_type: "TestLinear" srclayers: "data" param { name: "wa" }
            innerproduct_conf { num_output: 9 } partition_dim: 1 }
    layer { name: "b" type: kInnerProduct srclayers: "a" param { name: "wb" } param { name: "bb" }
            innerproduct_conf { num_output: 5 } partition_dim: 1 }
    layer { name: "c" type: kInnerProduct srclayers: "a" param { name: "wc" } param { name: "bc" }
            innerproduct_conf { num_output: 4 } partition_dim: 1 }
    layer { name: "d" type: kSigmoid srclayers: "a" partition_dim: 1 }
    layer { name: "e" type: kSTanh srclayers: "a" }
    layer { name: "loss" user_type: "TestLoss" srclayers: "b" srclayers: "c" srclayers: "d"
            srclayers: "e" })";
  TestNet part = PartOfWorker(0, 2, text);
  int of_a = 0;
  for (const NetNode& node : part.net.nodes()) of_a += node.name.starts_with("bridge_src(a->");
  EXPECT_EQ(of_a, 2);  // to b and c, and to e
  ExpectTheNetOfOne(text, 2);
  ExpectTheNetOfOne(text, 3);
}

// The masks belong to rows and units of the whole batch.
TEST(Partition, DropoutDropsTheSameUnits) {
  for (const char* input :
       {"shape: 6 shape: 7", "shape: 6 shape: 5 shape: 3", "shape: 6 shape: 5 shape: 3 shape: 2"}) {
    const std::string text = StrCat(R"(
      layer { name: "data" type: kDummy dummy_conf { input: true )",
                                    input, R"( } }
      layer { name: "drop" type: kDropout srclayers: "data" partition_dim: 1 }
      layer { name: "fc" type: kInnerProduct srclayers: "drop" param { name: "w" } param { name: "b" }
              innerproduct_conf { num_output: 4 } }
      layer { name: "drop2" type: kDropout srclayers: "fc" partition_dim: 1 }
      layer { name: "loss" user_type: "TestLoss" srclayers: "drop2" })");
    ExpectTheNetOfOne(text, 2);
    ExpectTheNetOfOne(text, 3);
  }
}

// Bridges between time steps, folded into one node or not.
TEST(Partition, AnUnrolledNetIsDividedStepByStep) {
  const std::string text = R"(
    unroll_len: 3
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 6 shape: 4 } split_conf { num_splits: 3 }
            unroll_len: 1 }
    layer { name: "fc1" user_type: "TestLinear" srclayers: "data" unroll_conn_type: kUnrollOneToOne
            unroll_len: 3 param { name: "w1" } innerproduct_conf { num_output: 5 } }
    layer { name: "fc2" user_type: "TestLinear" srclayers: "fc1" unroll_conn_type: kUnrollOneToOne
            unroll_len: 3 param { name: "w2" } innerproduct_conf { num_output: 7 } partition_dim: 1 }
    layer { name: "tanh" type: kSTanh srclayers: "fc2" unroll_conn_type: kUnrollOneToOne unroll_len: 3
            partition_dim: 1 }
    layer { name: "loss" user_type: "TestLoss" srclayers: "tanh" unroll_conn_type: kUnrollOneToOne
            unroll_len: 3 })";
  for (const bool fold : {true, false}) {
    NetOptions options;
    options.fold = fold;
    ExpectTheNetOfOne(text, 2, options);
    ExpectTheNetOfOne(text, 4, options);
  }
}

TEST(Partition, FewerUnitsThanWorkersAreAnError) {
  NetOptions options;
  options.parts = 4;
  const auto build = [&](const char* layers) {
    ParamTable params;
    BuildNet(ParseNet(StrCat(R"(
      layer { name: "data" user_type: "TestInput" dummy_conf { shape: 8 shape: 3 } })",
                             layers)),
             options, &params);
  };
  EXPECT_CONFIG_ERROR_SAYS(build(R"(
      layer { name: "fc" type: kInnerProduct srclayers: "data" param {} param {} partition_dim: 1
              innerproduct_conf { num_output: 3 } })"),
                           "neuralnet.layer[fc].innerproduct_conf.num_output", "4");
  EXPECT_CONFIG_ERROR_SAYS(
      build("layer { name: 'relu' type: kReLU srclayers: 'data' partition_dim: 1 }"),
      "neuralnet.layer[relu].partition_dim", "3 units for 4 workers");
  EXPECT_CONFIG_ERROR_SAYS(build(R"(
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 1 } }
      layer { name: "relu" type: kReLU srclayers: "fc" partition_dim: 1 })"),
                           "neuralnet.layer[relu].partition_dim", "1 unit for 4 workers");
  EXPECT_CONFIG_ERROR(
      build("layer { name: 'relu' type: kReLU srclayers: 'data' partition_dim: 2 }"),
      "neuralnet.layer[relu].partition_dim");
}

constexpr char kGrid[] = R"(
  layer { name: "data" user_type: "TestInput" dummy_conf { shape: 64 shape: 6 } }
  layer { name: "fc1" user_type: "TestLinear" srclayers: "data" param { name: "w1" }
          innerproduct_conf { num_output: 8 } partition_grid { rows: 2 units: 3 } }
  layer { name: "fc2" user_type: "TestLinear" srclayers: "fc1" param { name: "w2" }
          innerproduct_conf { num_output: 10 } partition_grid {} }
  layer { name: "loss" user_type: "TestLoss" srclayers: "fc2" })";

TEST(Partition, AWorkerOfAGridHasItsRowsOfItsUnits) {
  const int64_t units[] = {2, 3, 3};
  for (int i = 0; i < 6; ++i) {
    TestNet part = PartOfWorker(i, 6, kGrid);
    const Port& grid = *part.net.Find("fc1")->out[0];
    EXPECT_EQ(grid.data.shape(), Shape({32, units[i % 3]}));
    EXPECT_EQ(grid.span.first, i < 3 ? 0 : 32);
    const Param& w1 = *part.params.Find("w1");
    EXPECT_EQ(w1.shape(), Shape({units[i % 3], 6}));
    EXPECT_EQ(w1.contributors(), 2);
    EXPECT_EQ(part.net.Find("fc2")->out[0]->data.shape(), Shape({64, 10}));
    EXPECT_EQ(part.params.Find("w2")->contributors(), 1);
    EXPECT_EQ(part.net.Find("loss")->out[0]->span.rows, i % 3 == 0 ? 10 : 11);
  }
  ExpectTheNetOfOne(kGrid, 6);
}

// A layer that all workers compute gives its readers what they need of the worker's own feature.
TEST(Partition, ACopyOfAFeatureMovesNowhere) {
  TestNet part = PartOfWorker(1, 6, kGrid);
  const RegionSizes sizes = SizesOfBridges(part.net.nodes(), 6);
  int64_t floats = 0;
  for (int tag = 0; tag < sizes.tags; ++tag)
    for (int from = 0; from < 6; ++from)
      for (int to = 0; to < 6; ++to)
        if (from != to) floats += sizes.floats(tag, from, to);
  // Between data, which has no gradient, and fc1, which computes its units from all of a row;
  // between fc1 and fc2; and the gradient behind fc2.
  const int64_t data = 64 * 6, fc1 = 64 * 8, fc2 = 64 * 10;
  EXPECT_EQ(floats, (3 - 1) * data + (6 - 1) * fc1 + (6 - 1) * fc2);
}

TEST(Partition, AGridFitsTheWorkers) {
  const auto build = [](const std::string& division, int workers) {
    NetOptions options;
    options.parts = workers;
    ParamTable params;
    BuildNet(ParseNet(StrCat(R"(
        layer { name: "data" user_type: "TestInput" dummy_conf { shape: 8 shape: 4 } }
        layer { name: "a" user_type: "TestLinear" srclayers: "data" param { name: "w" }
                innerproduct_conf { num_output: 4 } )",
                             division, " }")),
             options, &params);
  };
  build("partition_grid { rows: 2 units: 2 }", 4);
  build("partition_grid { rows: 2 units: 2 }", 1);
  EXPECT_CONFIG_ERROR_SAYS(
      build("partition_grid { rows: 2 units: 2 }", 6), "neuralnet.layer[a].partition_grid",
      "rows times units must be 1 or 6, the number of workers of the group, is 4");
  EXPECT_CONFIG_ERROR_SAYS(build("partition_grid { rows: 0 units: 2 }", 1),
                           "neuralnet.layer[a].partition_grid.rows", "must be >= 1, is 0");
  EXPECT_CONFIG_ERROR_SAYS(build("partition_grid { units: -1 }", 4),
                           "neuralnet.layer[a].partition_grid.units", "must be >= 1, is -1");
  EXPECT_CONFIG_ERROR_SAYS(build("partition_grid { rows: 2000000000 units: 2000000000 }", 4),
                           "neuralnet.layer[a].partition_grid", "is 4000000000000000000");
  EXPECT_CONFIG_ERROR_SAYS(build("partition_grid {} partition_dim: 1", 4),
                           "neuralnet.layer[a].partition_dim", "beside partition_grid");
  EXPECT_CONFIG_ERROR_SAYS(build("partition_grid { units: 8 }", 8),
                           "neuralnet.layer[a].innerproduct_conf.num_output", "must be >= 8");
}

TEST(Partition, SharedParamsAreDividedAlike) {
  NetOptions options;
  options.parts = 2;
  ParamTable params;
  EXPECT_CONFIG_ERROR_SAYS(BuildNet(ParseNet(R"(
      layer { name: "data" user_type: "TestInput" dummy_conf { shape: 8 shape: 4 } }
      layer { name: "a" user_type: "TestLinear" srclayers: "data" param { name: "w" }
              innerproduct_conf { num_output: 4 } partition_dim: 1 }
      layer { name: "b" user_type: "TestLinear" srclayers: "a" param { share_from: "w" }
              innerproduct_conf { num_output: 4 } })"),
                                    options, &params),
                           "neuralnet.layer[b].param[0].share_from", "same partition_dim");
}

TEST(Partition, PlanningAllocatesNoTensor) {
  TestNet part = PartOfWorker(1, 3);
  const NetMemory memory = PrepareNet(part.ctx, &part.net);
  for (const NetNode& node : part.net.nodes()) {
    for (const Port* port : node.in) EXPECT_TRUE(port->data.empty()) << node.full_name;
    for (const Port* port : node.out) EXPECT_TRUE(port->data.empty()) << node.full_name;
  }
  for (const auto& param : part.params.params()) EXPECT_TRUE(param->data.empty());
  EXPECT_GT(memory.arena, 0);
}

}  // namespace
}  // namespace singa
