#include <gtest/gtest.h>

#include "nn/plan/net_builder.h"
#include "support/net_test.h"

namespace singa {
namespace {

constexpr char kCsvInput[] =
    R"(layer { name: "data" type: kCSVInput store_conf { path: "x" batchsize: 7 shape: 4 } })";

std::string Dense(const std::string& name, const std::string& source) {
  return StrCat("layer { name: \"", name, "\" type: kInnerProduct srclayers: \"", source,
                "\" innerproduct_conf { num_output: 3 } param { name: \"w", name,
                "\" } param { name: \"b", name, "\" } }");
}

std::string Judge(const std::string& name, const std::string& type, const std::string& source) {
  return StrCat("layer { name: \"", name, "\" type: ", type, " srclayers: \"", source,
                "\" srclayers: \"data\" }");
}

// Returns the layers that are kept, or the error.
std::string Kept(const std::string& text, const std::string& output) {
  const FedRows fed;
  const NetUse use = {output, 2, &fed};
  NetOptions options;
  options.phase = kTest;
  options.gradients = false;
  options.use = &use;
  ParamTable params;
  ConfigErrors errors;
  const Net net = BuildNet(ParseNet(text), options, &params, &errors);
  if (!errors.empty()) return errors[0].what();
  std::string names;
  for (const NetNode& node : net.nodes()) names += node.name + " ";
  return names;
}

const std::string kTwo = kCsvInput + Dense("a", "data") + Dense("b", "a") + Dense("c", "a");

TEST(KeepOutput, KeepsWhatTheLayerIsComputedFrom) {
  EXPECT_EQ(Kept(kTwo, "c"), "data a c ");
  EXPECT_EQ(Kept(kTwo, "a"), "data a ");
  EXPECT_EQ(Kept(kTwo, "data"), "data ");
}

TEST(KeepOutput, TakesASoftmaxLossForItsProbabilities) {
  const std::string net = kTwo + Judge("loss", "kSoftmaxLoss", "c");
  EXPECT_EQ(Kept(net, ""), "data a c loss ");
  EXPECT_EQ(Kept(net, "loss"), "data a c loss ");
}

constexpr char kWithTargets[] =
    R"(layer { name: "data" type: kCSVInput
               store_conf { path: "x" batchsize: 7 shape: 4 num_targets: 3 } })";

std::string AgainstTargets(const std::string& type, const std::string& source) {
  return StrCat("layer { name: 'loss' type: ", type, " srclayers: '", source,
                "' srclayers: 'data:1' }");
}

TEST(KeepOutput, TakesASigmoidLossForItsProbabilities) {
  const std::string net =
      kWithTargets + Dense("a", "data") + AgainstTargets("kSigmoidCrossEntropyLoss", "a");
  EXPECT_EQ(Kept(net, ""), "data a loss ");
  EXPECT_EQ(Kept(net, "loss"), "data a loss ");
}

TEST(KeepOutput, GivesRowsNoTargets) {
  const std::string net = kWithTargets + Dense("a", "data") + AgainstTargets("kEuclideanLoss", "a");
  EXPECT_EQ(Kept(net, ""), "data a ");
  EXPECT_EQ(Kept(net, "data"), "data ");
  EXPECT_NE(Kept(net + Dense("b", "data:1") + Dense("c", "b"), "c")
                .find("\"c\" needs layer \"b\", which reads the targets of layer \"data\""),
            std::string::npos);
}

TEST(KeepOutput, TakesThePredictionOfAnotherLoss) {
  EXPECT_EQ(Kept(kTwo + Judge("loss", "kEuclideanLoss", "c"), ""), "data a c ");
}

TEST(KeepOutput, TakesTheOneEndOfANetWithoutALoss) {
  EXPECT_EQ(Kept(kCsvInput + Dense("a", "data") + Judge("right", "kAccuracy", "a"), ""), "data a ");
}

TEST(KeepOutput, AsksWhereThereIsAChoice) {
  EXPECT_NE(Kept(kTwo, "").find("2 layers that no other reads: \"b\", \"c\""), std::string::npos);
  const std::string net =
      kTwo + Judge("one", "kSoftmaxLoss", "b") + Judge("two", "kSoftmaxLoss", "c");
  EXPECT_NE(Kept(net, "").find("2 losses: \"one\", \"two\""), std::string::npos);
  EXPECT_EQ(Kept(net, "two"), "data a c two ");
}

TEST(KeepOutput, RefusesALayerThatWritesAFile) {
  const std::string out =
      R"(layer { name: "out" type: kCSVOutput srclayers: "a" store_conf { path: "y" } })";
  EXPECT_NE(Kept(kTwo + out, "out").find("writes a file"), std::string::npos);
}

TEST(KeepOutput, GuessesTheNameThatWasMeant) {
  EXPECT_NE(Kept(kTwo + Dense("logits", "c"), "logit").find("did you mean \"logits\"?"),
            std::string::npos);
}

TEST(KeepOutput, SaysWhichPhaseHasTheLayer) {
  const std::string late = "layer { name: 'late' type: kReLU srclayers: 'a' include: kTrain }";
  EXPECT_NE(Kept(kTwo + late, "late").find("in this phase, kTest: it is in kTrain"),
            std::string::npos);
}

TEST(KeepOutput, RefusesALayerOfTwoInputs) {
  const std::string other =
      R"(layer { name: "other" type: kCSVInput store_conf { path: "x" batchsize: 7 shape: 4 } }
         layer { name: "both" type: kConcate srclayers: "data" srclayers: "other"
                 concate_conf { concate_dim: 1 } })";
  EXPECT_NE(Kept(kCsvInput + other, "both").find("2 input layers, \"data\", \"other\""),
            std::string::npos);
}

TEST(KeepOutput, RefusesALayerOfManyOutputs) {
  const std::string slice =
      R"(layer { name: "cut" type: kSlice srclayers: "data" slice_conf { slice_dim: 1 num_slices: 2 } })";
  const std::string net = kCsvInput + slice + Dense("a", "cut") + Dense("b", "cut");
  EXPECT_NE(Kept(net, "cut").find("has 2 outputs"), std::string::npos);
  EXPECT_EQ(Kept(net, "b"), "data cut b ");
}

TEST(KeepOutput, KeepsTheOwnerOfASharedParam) {
  const std::string sharing =
      R"(layer { name: "d" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 }
                 param { share_from: "wa" } param { name: "bd" } })";
  EXPECT_EQ(Kept(kTwo + sharing, "d"), "data d ");
}

std::string TextNetOf(int steps) {
  return StrCat("unroll_len: ", steps, R"(
    layer { name: "text" type: kCharRNN
            char_rnn_conf { path: "x" vocab_path: "y" batchsize: 7 unroll_len: )",
                steps, R"( } }
    layer { name: "onehot" type: kOneHot srclayers: "text" onehot_conf { vocab_size: 4 } }
    layer { name: "label" type: kRNNLabel srclayers: "text" })",
                Dense("a", "onehot"), R"(
    layer { name: "last" type: kReLU srclayers: "a" unroll_len: 1
            unroll_conn_type: kUnrollFirstToLast })");
}

TEST(KeepOutput, KeepsTheTimeStepsOfAText) {
  const std::string loss =
      R"(layer { name: "loss" type: kSoftmaxLoss srclayers: "a" srclayers: "label" })";
  EXPECT_EQ(Kept(TextNetOf(3) + loss, ""), "text onehot a loss ");
}

TEST(KeepOutput, KeepsTheStepsThatAreReadWhereTheyAreNodes) {
  const std::string cut = R"(
    layer { name: "cut" type: kConcate srclayers: "a"
            concate_conf { concate_dim: 0 num_concates: 1 } }
    layer { name: "end" type: kReLU srclayers: "cut" unroll_len: 1
            unroll_conn_type: kUnrollFirstToLast })";
  EXPECT_EQ(Kept(TextNetOf(3) + cut, "end"), "text onehot a cut end ");
}

TEST(KeepOutput, RefusesWhatReadsTheStepBehindTheLast) {
  EXPECT_NE(Kept(TextNetOf(3), "label").find("reads the step behind the last"), std::string::npos);
}

}  // namespace
}  // namespace singa
