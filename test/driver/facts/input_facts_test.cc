#include "driver/facts/input_facts.h"

#include <gtest/gtest.h>

#include "io/image_files.h"
#include "io/temp_dir.h"
#include "support/driver/conf_findings.h"
#include "support/net_test.h"

namespace singa::input_facts {
namespace {

class InputFactsTest : public testing::Test {
 protected:
  // Returns an input layer of this phase that reads `file`.
  static std::string Data(const std::string& phase, const std::string& file) {
    return StrCat("layer { name: 'data' type: kCSVInput include: ", phase, " store_conf { path: '",
                  file, "' batchsize: 2 shape: 2 } }\n");
  }
  static std::string Loss(const std::string& name, int classes, const std::string& settings = "") {
    return StrCat("layer { name: '", name, "_fc' type: kInnerProduct srclayers: 'data' ",
                  "innerproduct_conf { num_output: ", classes,
                  " bias_term: false } param { name: '", name, "' } } layer { name: '", name,
                  "' type: kSoftmaxLoss srclayers: '", name, "_fc' srclayers: 'data' ", settings,
                  " }\n");
  }

  TempDir dir_;
  const std::string train_ = dir_.Write("train", "0,1,2\n2,3,4\n1,5,6\n");
  const std::string test_ = dir_.Write("test", "1,1,2\n1,3,4\n");
  ConfigErrors unreadable_;
};

TEST_F(InputFactsTest, AreThoseOfTheConfAndOfTheStore) {
  const std::vector<InputFacts> inputs =
      PeekInputs(ParseNet(Data("kTrain", train_) + Loss("loss", 3)), {kTrain}, &unreadable_);
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].phase, kTrain);
  EXPECT_EQ(inputs[0].layer, "data");
  EXPECT_EQ(inputs[0].path, "neuralnet.layer[data].store_conf");
  EXPECT_EQ(inputs[0].source.store.path, train_);
  EXPECT_EQ(inputs[0].source.shape, std::vector<int64_t>{2});
  EXPECT_EQ(inputs[0].facts.records, 3);
  EXPECT_EQ(inputs[0].facts.labels.greatest, 2);
  EXPECT_EQ(inputs[0].facts.labels.of_greatest, 1);
  EXPECT_EQ(inputs[0].classes, 3);
  EXPECT_EQ(inputs[0].loss, "loss");
  EXPECT_EQ(LinesOf(unreadable_), "");
}

TEST_F(InputFactsTest, TheLossWithTheFewestClassesCounts) {
  const auto classes = [&](const std::string& losses) {
    return PeekInputs(ParseNet(Data("kTrain", train_) + losses), {kTrain}).at(0).classes;
  };
  EXPECT_EQ(classes(Loss("a", 5) + Loss("b", 4) + Loss("c", 6)), 4);
  EXPECT_EQ(classes(""), -1);
  EXPECT_EQ(classes(Loss("a", 5, "softmaxloss_conf { ignore_label: 9 }")), -1);
}

TEST_F(InputFactsTest, AreGivenForThePhasesThatAreAskedFor) {
  const NetProto net = ParseNet(Data("kTrain", train_) + Data("kTest", test_) + Loss("loss", 3));
  const std::vector<InputFacts> both = PeekInputs(net, {kTrain, kTest});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1].phase, kTest);
  EXPECT_EQ(both[1].facts.records, 2);
  ASSERT_EQ(PeekInputs(net, {kTest}).size(), 1u);
}

TEST_F(InputFactsTest, ANetWithMistakesHasNone) {
  EXPECT_TRUE(PeekInputs(ParseNet(Data("kTrain", train_) +
                                  "layer { name: 'x' type: kReLU srclayers: 'none' }"),
                         {kTrain}, &unreadable_)
                  .empty());
}

TEST_F(InputFactsTest, AMissingStoreHasNone) {
  EXPECT_TRUE(
      PeekInputs(ParseNet(Data("kTrain", dir_.Path("none"))), {kTrain}, &unreadable_).empty());
  EXPECT_EQ(LinesOf(unreadable_), "");
}

TEST_F(InputFactsTest, ABadFirstRecordIsAnErrorAtTheLayer) {
  const std::string bad = dir_.Write("bad", "0,x,2\n");
  PeekInputs(ParseNet(Data("kTrain", bad)), {kTrain}, &unreadable_);
  ASSERT_EQ(unreadable_.size(), 1u);
  EXPECT_EQ(unreadable_[0].path().rfind("neuralnet.layer[data].store_conf", 0), 0u);
  EXPECT_EQ(unreadable_[0].code(), kExitBadData);
}

TEST_F(InputFactsTest, ATextWithMoreCharactersThanAReaderHasIsAnError) {
  const std::string vocabulary = dir_.Write("vocabulary", "abc\n"),
                    text = dir_.Write("text", "abababaabbab\nabab");
  const auto net = [&](int embedded, int scores) {
    return ParseNet(StrCat(
        "unroll_len: 2 layer { name: 'text' type: kCharRNN char_rnn_conf { path: '", text,
        "' vocab_path: '", vocabulary, "' batchsize: 1 unroll_len: 2 } } ",
        "layer { name: 'embed' type: kEmbedding srclayers: 'text' embedding_conf { vocab_size: ",
        embedded, " feature_dim: 2 } } ",
        "layer { name: 'fc' type: kInnerProduct srclayers: 'embed' ",
        "innerproduct_conf { num_output: ", scores, " } } ",
        "layer { name: 'label' type: kRNNLabel srclayers: 'text' } ",
        "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'fc' srclayers: 'label' }"));
  };
  PeekInputs(net(4, 4), {kTrain}, &unreadable_);
  EXPECT_EQ(LinesOf(unreadable_), "");
  PeekInputs(net(3, 3), {kTrain}, &unreadable_);
  ASSERT_EQ(unreadable_.size(), 2u);
  EXPECT_EQ(unreadable_[0].path(), "neuralnet.layer[text].char_rnn_conf.path");
  EXPECT_EQ(unreadable_[0].message(),
            text + ": the index is 3, layer \"embed\" allows 0 to 2 and, for padding, -1");
  EXPECT_EQ(unreadable_[1].message(), text + ": the label is 3, layer \"loss\" allows 0 to 2");
}

TEST_F(InputFactsTest, ATargetThatALossRefusesIsAnError) {
  const std::string file = dir_.Write("shares", "2,1,2\n0,3,4\n");
  const std::string net = StrCat(
      "layer { name: 'data' type: kCSVInput store_conf { path: '", file,
      "' batchsize: 2 shape: 2 num_targets: 1 } } layer { name: 'fc' type: kInnerProduct ",
      "srclayers: 'data' innerproduct_conf { num_output: 1 } } ",
      "layer { name: 'loss' type: kSigmoidCrossEntropyLoss srclayers: 'fc' srclayers: 'data:1' }");
  PeekInputs(ParseNet(net), {kTrain, kTest}, &unreadable_);
  ASSERT_EQ(unreadable_.size(), 1u);
  EXPECT_EQ(unreadable_[0].path(), "neuralnet.layer[data].store_conf.path");
  EXPECT_EQ(unreadable_[0].message(),
            file + ": record 0: a target is 2, layer \"loss\" allows 0 to 1");
}

TEST_F(InputFactsTest, AnErrorOfTwoPhasesIsSaidOnce) {
  const std::string bad = dir_.Write("bad", "0,x,2\n");
  const std::string data = StrCat("layer { name: 'data' type: kCSVInput store_conf { path: '", bad,
                                  "' batchsize: 2 shape: 2 } }");
  PeekInputs(ParseNet(data), {kTrain, kTest, kVal}, &unreadable_);
  EXPECT_EQ(unreadable_.size(), 1u);
}

TEST_F(InputFactsTest, AProgramThatDoesNotTrainReadsNoneOfTheRecords) {
  std::filesystem::create_directories(dir_.Path("set/cat"));
  dir_.Write("set/cat/a.png", Png(2, 2, {1, 2, 3}));
  dir_.Write("set/cat/a.gif", "GIF89a");
  const std::string pictures =
      StrCat("layer { name: 'data' type: kRecordInput store_conf { backend: 'imagefolder' path: '",
             dir_.Path("set"), "' batchsize: 1 shape: [3, 2, 2] } }");
  const std::vector<InputFacts> all = PeekInputs(ParseNet(pictures), {kTrain});
  const std::vector<InputFacts> some = PeekTraining(ParseNet(pictures));
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(all[0].facts.left_out.count, 1);
  EXPECT_EQ(some[0].facts.left_out.count, 0);
  EXPECT_EQ(some[0].facts.labels.of_least, -1);
  EXPECT_EQ(some[0].facts.classes, std::vector<std::string>{"cat"});
}

TEST_F(InputFactsTest, OfANetThatIsOpenComeFromItsReaders) {
  TestNet test(Data("kTrain", train_) + Loss("loss", 3));
  const std::vector<InputFacts> inputs = InputsOf(&test.net);
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].facts.records, 3);
  EXPECT_EQ(inputs[0].loss, "loss");
}

}  // namespace
}  // namespace singa::input_facts
