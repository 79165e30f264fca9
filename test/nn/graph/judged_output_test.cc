#include "nn/graph/judged_output.h"

#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/net_test.h"

namespace singa {
namespace {

// Returns a net with two outputs on the targets of a table, and `more` layers.
NetProto TwoOutputs(const std::string& more) {
  return ParseNet(R"(
    layer { name: "data" type: kCSVInput
            store_conf { path: "x" batchsize: 7 shape: 4 num_targets: 3 } }
    layer { name: "a" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 } }
    layer { name: "b" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 2 } }
    layer { name: "cut" type: kSlice srclayers: "data:1"
            slice_conf { slice_dim: 1 num_slices: 2 } })" +
                  more);
}

std::string LossOf(const std::string& type, const std::string& scores, const std::string& target) {
  return "layer { name: 'loss' type: " + type + " srclayers: '" + scores + "' srclayers: '" +
         target + "' }";
}

OutputLayer Output(const std::string& name, int64_t size) {
  return {.name = name, .input = "data", .input_targets = 3, .size = size};
}

// Returns the error's text.
std::string WhyNot(const NetProto& net, const OutputLayer& output) {
  try {
    FindJudged(net, output);
  } catch (const ConfigError& error) {
    return error.message();
  }
  return "";
}

TEST(JudgedOutput, OfASoftmaxLossIsClasses) {
  const NetProto net = TwoOutputs(LossOf("kSoftmaxLoss", "a", "data"));
  EXPECT_EQ(FindJudged(net, Output("loss", 3)).kind, JudgedOutput::kClasses);
  EXPECT_EQ(WhyNot(net, Output("a", 3)),
            "layer \"a\" gives scores; for their probabilities give -layer loss");
}

TEST(JudgedOutput, HasTheTargetsThatItsLossReads) {
  const JudgedOutput numbers =
      FindJudged(TwoOutputs(LossOf("kEuclideanLoss", "a", "data:1")), Output("a", 3));
  EXPECT_EQ(numbers.kind, JudgedOutput::kNumbers);
  EXPECT_EQ(numbers.targets, 3);
  EXPECT_EQ(numbers.first_target, 0);
  const JudgedOutput labels =
      FindJudged(TwoOutputs(LossOf("kSigmoidCrossEntropyLoss", "b", "cut:1")), Output("loss", 2));
  EXPECT_EQ(labels.kind, JudgedOutput::kLabels);
  EXPECT_EQ(labels.first_target, 1);  // of 3 targets the first piece has 1
}

TEST(JudgedOutput, WithoutTargetsOfRecordsIsAnError) {
  EXPECT_EQ(WhyNot(TwoOutputs(LossOf("kEuclideanLoss", "a", "b")), Output("a", 3)),
            "loss \"loss\" compares with layer \"b\"; needed are the targets of the records, "
            "\"data:1\", or a kSlice of them");
  EXPECT_EQ(WhyNot(TwoOutputs(""), Output("a", 3)),
            "no loss compares layer \"a\" with labels or targets, as kSoftmaxLoss, "
            "kSigmoidCrossEntropyLoss and kEuclideanLoss do");
  OutputLayer steps = Output("a", 3);
  steps.steps = 2;
  EXPECT_EQ(WhyNot(TwoOutputs(LossOf("kEuclideanLoss", "a", "data:1")), steps),
            "layer \"a\" has 2 time steps, and a record has targets for one");
}

}  // namespace
}  // namespace singa
