// Tests settings that give several input layers one order of records, and settings that cannot.
#include <algorithm>

#include "nn/input/store_input.h"
#include "support/layer_test.h"
#include "support/net_test.h"

namespace singa {
namespace {

std::string Store(const std::string& name, const std::string& settings, int batch = 4) {
  return StrCat("layer { name: '", name,
                "' type: kRecordInput store_conf { backend: 'synthetic' shape: 2 batchsize: ",
                batch, " synthetic_conf { records: 20 classes: 3 } ", settings, " } }\n");
}

constexpr char kText[] =
    "layer { name: 'text' type: kCharRNN char_rnn_conf { path: 't' vocab_path: 'v' unroll_len: 1 "
    "batchsize: 4 } }\n";

Net Build(const std::string& text, Phase phase = kTrain) {
  NetOptions options;
  options.phase = phase;
  ParamTable params;
  return BuildNet(ParseNet(text), options, &params);
}

TEST(PairReaders, LayersOfOnePhaseHaveTheOrderOfTheFirst) {
  const Net net = Build(Store("a", "shuffle: true") + Store("b", "shuffle: true"));
  for (const NetNode& node : net.nodes())
    EXPECT_EQ(StoreInputOf(node.layer.get())->options().order.stream, "a");
}

TEST(PairReaders, OneLayerKeepsTheOrderOfItsOwnName) {
  const Net net = Build(Store("b", "shuffle: true"));
  EXPECT_EQ(StoreInputOf(net.nodes()[0].layer.get())->options().order.stream, "b");
}

TEST(PairReaders, KnowWhatTheOthersSkip) {
  const Net net = Build(Store("a", "on_bad_record: kSkip max_bad_records: 7") + Store("b", ""));
  const auto beside = [&](int i) {
    const NetNode& node = net.nodes()[i];
    return StoreInputOf(node.layer.get())->options().beside;
  };
  EXPECT_TRUE(beside(0).empty());
  ASSERT_EQ(beside(1).size(), 1u);
  EXPECT_EQ(beside(1)[0].max_bad, 7);
}

TEST(PairReaders, RefuseOneThatShufflesAlone) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Store("a", "shuffle: true") + Store("b", "")),
                           "neuralnet.layer[b].store_conf.shuffle", "must be true");
  EXPECT_CONFIG_ERROR_SAYS(Build(Store("a", "") + Store("b", "shuffle: true")),
                           "neuralnet.layer[a].store_conf.shuffle", "as in layer \"b\"");
  EXPECT_CONFIG_ERROR_SAYS(Build(kText + Store("b", "shuffle: true")),
                           "neuralnet.layer[b].store_conf.shuffle", "kCharRNN, cannot shuffle");
}

TEST(PairReaders, RefuseOtherSkips) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Store("a", "random_skip: 3") + Store("b", "random_skip: 4")),
                           "neuralnet.layer[b].store_conf.random_skip", "must be 3");
  EXPECT_CONFIG_ERROR_SAYS(Build(Store("a", "random_skip: 3") + kText),
                           "neuralnet.layer[a].store_conf.random_skip", "must be 0");
}

TEST(PairReaders, RefuseOtherBatchesInEveryPhase) {
  for (Phase phase : {kTrain, kTest})
    EXPECT_CONFIG_ERROR_SAYS(Build(Store("a", "") + Store("b", "", 5), phase),
                             "neuralnet.layer[b].store_conf.batchsize", "must be 4");
}

TEST(PairReaders, AllowInATestWhatOnlyTrainingLooksAt) {
  EXPECT_EQ(
      Build(Store("a", "shuffle: true random_skip: 3") + Store("b", ""), kTest).nodes().size(), 2u);
}

}  // namespace
}  // namespace singa
