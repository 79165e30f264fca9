// Tests which scores of a test are reported, since they are not finite.
#include "train/trainer/score_watch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/temp_dir.h"
#include "singa/base/str_cat.h"
#include "support/net_test.h"

namespace singa::score_watch {
namespace {

// y = 1 / x: not finite where x is 0.
class Inverse final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      out[0]->data.data()[i] = 1 / in[0]->data.data()[i];
  }
};
SINGA_REGISTER_LAYER(ScoreWatchInverse, Inverse);

constexpr char kAccuracy[] =
    "layer { name: 'accuracy' type: kAccuracy srclayers: 'scores' srclayers: 'data' }";

// Returns options of a test, which has no gradients.
NetOptions OfATest() {
  NetOptions options;
  options.phase = kTest;
  options.gradients = false;
  return options;
}

class ScoreWatchTest : public ::testing::Test {
 protected:
  // Has layer "scores" compute the inverse of `records`, each of a label and two numbers, in
  // batches of two. Returns what is found in all batches; the path of the records is "FILE".
  std::string Found(const std::string& records, const std::string& readers = kAccuracy) {
    const std::string path = dir_.Write("records.csv", records);
    std::string text = RunBatches(
        StrCat("layer { name: 'data' type: kCSVInput store_conf { batchsize: 2 shape: 2 path: '",
               path, "' } } layer { name: 'scores' user_type: 'ScoreWatchInverse' ",
               "srclayers: 'data' } ", readers),
        std::count(records.begin(), records.end(), '\n') / 2);
    if (const size_t at = text.find(path); at != std::string::npos)
      text.replace(at, path.size(), "FILE");
    return text;
  }
  std::string RunBatches(const std::string& net, int64_t batches) {
    TestNet test(net, OfATest());
    ScoreWatch watch;
    watch.Watch(&test.net);
    for (int64_t batch = 0; batch < batches; ++batch)
      for (NetNode& node : test.net.nodes()) test.net.ComputeFeature(test.ctx, node, kTest);
    for (NetNode& node : test.net.nodes())
      for (const Metric& metric : node.declared().metrics) correct_ = metric.cell.as<double>()[0];
    return watch.Text();
  }

  const TempDir dir_;
  double correct_ = -1;
};

TEST_F(ScoreWatchTest, FiniteScoresAreNoFinding) {
  EXPECT_EQ(Found("0,1,2\n1,1,2\n0,1,2\n1,2,1\n"), "");
}

TEST_F(ScoreWatchTest, NamesTheLayerAndTheRecord) {
  EXPECT_EQ(Found("0,1,2\n1,1,2\n0,1,2\n1,0,1\n"),
            "FILE: record 3: the scores of layer \"scores\" are not finite");
}

TEST_F(ScoreWatchTest, CountsTheRowsAfterTheFirst) {
  EXPECT_EQ(Found("0,1,2\n1,0,0\n0,1,0\n1,0,1\n"),
            "FILE: record 1: the scores of layer \"scores\" are not finite; so are those of 2 rows "
            "more");
}

TEST_F(ScoreWatchTest, ALayerWithTwoReadersIsCheckedOnce) {
  EXPECT_EQ(
      Found("0,1,2\n1,0,1\n", StrCat(kAccuracy,
                                     "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'scores' "
                                     "srclayers: 'data' }")),
      "FILE: record 1: the scores of layer \"scores\" are not finite");
}

TEST_F(ScoreWatchTest, FeaturesThatNobodyScoresAreNotChecked) {
  EXPECT_EQ(Found("0,0,0\n1,0,0\n", "layer { name: 'relu' type: kReLU srclayers: 'scores' }"), "");
}

TEST_F(ScoreWatchTest, TheLayerThatReadsComputesAsBefore) {
  Found("0,1,2\n1,1,2\n0,1,2\n1,2,1\n");  // the first score is the larger one, but in record 3
  EXPECT_EQ(correct_, 3);
}

}  // namespace
}  // namespace singa::score_watch
