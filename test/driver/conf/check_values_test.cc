#include "driver/conf/check_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/driver/conf_findings.h"

namespace singa::check_values {
namespace {

using testing::StartsWith;

// Returns what `check`, one of the parts of CheckValues, finds.
template <typename Check, typename... More>
std::string Found(Check check, const std::string& job, More... more) {
  ConfFindings found;
  check(JobOfText(job), more..., &found);
  return LinesOf(found);
}

TEST(CheckValues, AJobTrainsIfItHasAnUpdaterOrALength) {
  for (const char* text : {"updater {}", "train_steps: 0", "train_epochs: 2"})
    EXPECT_TRUE(Trains(JobOfText(text), JobUse::kEither)) << text;
  EXPECT_FALSE(Trains(JobOfText("test_steps: 3"), JobUse::kEither));
  EXPECT_FALSE(Trains(JobOfText("updater {} train_steps: 9"), JobUse::kTest));
  EXPECT_TRUE(Trains(JobOfText(""), JobUse::kTrain));
}

TEST(CheckValues, ALengthIsGivenOnce) {
  EXPECT_EQ(Found(CheckSteps, "train_steps: 1 train_epochs: 1", JobUse::kTrain),
            "error: train_epochs: not together with train_steps: one of them must be 0; -set "
            "train_epochs=0 trains 1 step, -set train_steps=0 trains 1 epoch\n");
  EXPECT_EQ(Found(CheckSteps, "test_freq: 10 test_epochs: 2", JobUse::kTest),
            "error: test_epochs: not together with test_freq: one of them must be 0; -set "
            "test_epochs=0 tests every 10 steps, -set test_freq=0 tests every 2 epochs\n");
  for (const char* one : {"train_steps: 0 train_epochs: 1", "train_steps: 1 train_epochs: 0"})
    EXPECT_EQ(Found(CheckSteps, one, JobUse::kTrain), "");
}

TEST(CheckValues, TrainingNeedsALengthThatMayBeZeroSteps) {
  const std::string missing =
      "error: train_steps: is missing; training needs train_steps or train_epochs\n";
  EXPECT_EQ(Found(CheckSteps, "", JobUse::kTrain), missing);
  EXPECT_EQ(Found(CheckSteps, "train_epochs: 0", JobUse::kTrain), missing);
  EXPECT_EQ(Found(CheckSteps, "train_steps: 0", JobUse::kTrain), "");
  EXPECT_EQ(Found(CheckSteps, "", JobUse::kTest), "");
}

TEST(CheckValues, AnAlgorithmIsNeeded) {
  EXPECT_EQ(Found(CheckAlgorithm, "train_one_batch { alg: kBP }"), "");
  EXPECT_EQ(Found(CheckAlgorithm, ""),
            "error: train_one_batch: is missing; it names the algorithm\n");
  EXPECT_THAT(Found(CheckAlgorithm, "train_one_batch { user_alg: 'none' }"),
              StartsWith("error: train_one_batch.user_alg: no algorithm is registered as"));
}

TEST(CheckValues, OnlyTrainingNeedsAnUpdater) {
  EXPECT_EQ(Found(CheckUpdater, "", JobUse::kTest), "");
  EXPECT_EQ(Found(CheckUpdater, "", JobUse::kTrain),
            "error: updater: is missing; training needs it\n");
}

TEST(CheckValues, AnUpdaterIsCheckedInATestToo) {
  EXPECT_EQ(Found(CheckUpdater, "updater { type: kSGD }", JobUse::kTest),
            "error: updater.learning_rate: is missing\n");
  EXPECT_THAT(Found(CheckUpdater, "updater { user_type: 'none' learning_rate { type: kFixed } }",
                    JobUse::kTest),
              StartsWith("error: updater.user_type: nothing is registered as"));
}

TEST(CheckValues, MomentumIsCorrectedWhereThereIsSome) {
  const auto found = [](const std::string& updater) {
    return Found(
        CheckUpdater,
        StrCat("updater { learning_rate { type: kFixed base_lr: 1 } ", updater,
               " } cluster { all_reduce { compression: kTopK momentum_correction: true } }"),
        JobUse::kTrain);
  };
  const std::string idle =
      "warning: cluster.all_reduce.momentum_correction: has no effect: it is for an updater of "
      "type kSGD with momentum\n";
  EXPECT_EQ(found("type: kSGD"), idle);
  EXPECT_EQ(found("type: kNesterov momentum: 0.9"), idle);
  EXPECT_EQ(found("type: kSGD momentum: 0.9"), "");
}

TEST(CheckValues, ClipLimitsAreInOrder) {
  const auto found = [](const std::string& clip) {
    return Found(CheckUpdater,
                 "updater { type: kSGD learning_rate { type: kFixed base_lr: 1 } " + clip + " }",
                 JobUse::kTrain);
  };
  EXPECT_EQ(found("clip_low: 2 clip_high: 2"), "");
  EXPECT_EQ(found("clip_low: 2 clip_high: 1"),
            "error: updater.clip_low: clip_low must be <= clip_high, they are 2 and 1\n");
  EXPECT_EQ(found("clip_high: -1"),
            "error: updater.clip_high: clip_low must be <= clip_high, they are 0 and -1\n");
}

TEST(CheckValues, AnInitializerMayBeMissingButNotWrong) {
  const auto found = [](const std::string& init) {
    return Found(CheckParams, "neuralnet { layer { name: 'fc' param { init { " + init + " } } } }");
  };
  EXPECT_EQ(found(""), "");
  EXPECT_EQ(found("type: kUniform low: 1 high: 1"), "");
  EXPECT_EQ(found("type: kUniform low: 1 high: 0"),
            "error: neuralnet.layer[fc].param[0].init.high: must be finite and >= low, is 0\n");
  EXPECT_THAT(
      found("user_type: 'none'"),
      StartsWith("error: neuralnet.layer[fc].param[0].init.user_type: nothing is registered as"));
}

TEST(CheckValues, ANetHasLayersButNotTooMany) {
  EXPECT_EQ(Found(CheckLayers, ""), "error: neuralnet: is missing\n");
  EXPECT_EQ(Found(CheckLayers, "neuralnet {}"), "error: neuralnet: has no layer\n");
  std::string layers;
  for (int i = 0; i < 10000; ++i) layers += "layer {} ";
  EXPECT_EQ(Found(CheckLayers, "neuralnet { " + layers + "}"), "");
  EXPECT_EQ(Found(CheckLayers, "neuralnet { layer {} " + layers + "}"),
            "error: neuralnet: must have at most 10000 layers, has 10001\n");
}

TEST(CheckValues, TheTimeStepsOfALayerAreItsOwnOrTheNets) {
  EXPECT_EQ(Found(CheckLayers, "neuralnet { unroll_len: 500001 layer {} layer {} }"),
            "error: neuralnet: must have at most 1000000 layers times unroll_len, has 1000002\n");
  EXPECT_EQ(Found(CheckLayers, "neuralnet { unroll_len: 500001 layer {} layer { unroll_len: 1 } }"),
            "");
}

TEST(CheckValues, ALayerNamesPhasesThatAJobRuns) {
  EXPECT_EQ(Found(CheckLayers, "neuralnet { layer { name: 'a' include: [kTrain, kVal, kTest] } }"),
            "");
  EXPECT_EQ(Found(CheckLayers, "neuralnet { layer { name: 'a' exclude: [kTest, kForward] } }"),
            "error: neuralnet.layer[a].exclude#1: must be kTrain, kVal or kTest, is kForward\n");
}

TEST(CheckValues, IncludeAndExcludeAreNotMixed) {
  EXPECT_EQ(Found(CheckLayers,
                  "neuralnet { layer { name: 'a' include: kTrain } "
                  "layer { name: 'b' exclude: kTest } }"),
            "error: neuralnet.layer[b].exclude: not together with include, which "
            "neuralnet.layer[a] has\n");
}

// One mistake, or setting without effect, for each part.
TEST(CheckValues, HasTheFindingsOfAllParts) {
  EXPECT_EQ(LinesOf(CheckValues(JobOfText("train_epochs: 1 train_steps: 1 gpu: -1 resume: true "
                                          "neuralnet { layer { name: 'a' exclude: kForward param { "
                                          "init { type: kUniform low: 1 high: 0 } } } } "
                                          "cluster { max_staleness: 2 }"),
                                JobUse::kTrain)),
            "error: gpu: must be >= 0, is -1\n"
            "error: train_epochs: not together with train_steps: one of them must be 0; -set "
            "train_epochs=0 trains 1 step, -set train_steps=0 trains 1 epoch\n"
            "error: train_one_batch: is missing; it names the algorithm\n"
            "error: updater: is missing; training needs it\n"
            "error: neuralnet.layer[a].param[0].init.high: must be finite and >= low, is 0\n"
            "error: neuralnet.layer[a].exclude: must be kTrain, kVal or kTest, is kForward\n"
            "warning: cluster.max_staleness: has no effect with one worker group\n"
            "warning: resume: is set by the system; a value here has no effect\n");
}

}  // namespace
}  // namespace singa::check_values
