#include <gtest/gtest.h>

#include "driver/conf/net_warnings.h"
#include "nn/plan/net_builder.h"
#include "support/driver/conf_findings.h"

namespace singa::schedule_warnings {
namespace {

std::string Found(const std::string& job) { return LinesOf(ScheduleWarnings(JobOfText(job))); }

// Returns a job whose learning rate is 1 up to step `end`, and `rest` from there on.
std::string Steps(int64_t steps, int64_t end, const std::string& rest) {
  return StrCat("train_steps: ", steps,
                " updater { type: kSGD learning_rate { type: kFixedStep fixedstep_conf {"
                " step: 0 step: ",
                end, " step_lr: 1 step_lr: ", rest, " } } }");
}

TEST(ScheduleWarnings, TheFieldThatAsksForAPhase) {
  EXPECT_EQ(AskerOf(JobOfText("test_freq: 1 test_steps: 1"), kTest), "test_freq");
  EXPECT_EQ(AskerOf(JobOfText("test_epochs: 1 test_steps: 1"), kTest), "test_epochs");
  EXPECT_EQ(AskerOf(JobOfText("test_steps: 1"), kTest), "test_steps");
  EXPECT_EQ(AskerOf(JobOfText("validate_freq: 1"), kTest), "");
  EXPECT_EQ(AskerOf(JobOfText("validate_freq: 1"), kVal), "validate_freq");
  EXPECT_EQ(AskerOf(JobOfText("validate_freq: 1 test_freq: 1"), kTrain), "");
}

TEST(ScheduleWarnings, LayersOfATestThatDoesNotRun) {
  const std::string net =
      "neuralnet { layer { name: 'fc' type: kReLU } "
      "layer { name: 'top' type: kAccuracy include: kTest } }";
  EXPECT_EQ(Found(net),
            "neuralnet.layer[top].include: training runs no test without test_freq, test_epochs "
            "or test_steps; `-test` runs one\n");
  EXPECT_EQ(Found(net + "test_freq: 1"), "");
}

TEST(ScheduleWarnings, LayersOfAValidationThatDoesNotRun) {
  const std::string net =
      "neuralnet { layer { name: 'top' type: kAccuracy exclude: [kTrain, kTest] } }";
  EXPECT_EQ(Found(net),
            "neuralnet.layer[top].exclude: training runs no validation without validate_freq\n");
  EXPECT_EQ(Found(net + "validate_freq: 1"), "");
}

TEST(ScheduleWarnings, LayersThatAnotherProgramMayUseAreFine) {
  EXPECT_EQ(Found("neuralnet { layer { name: 'top' user_type: 'Mine' include: kTest } }"), "");
  EXPECT_EQ(Found("neuralnet { layer { name: 'top' type: kAccuracy include: kTest } "
                  "layer { name: 'out' type: kCSVOutput include: kTest } }"),
            "");
}

TEST(ScheduleWarnings, ARateOfNothingForHalfOfTheTraining) {
  const std::string end = " on: the rest of the 1000 steps trains nothing\n";
  EXPECT_EQ(Found(Steps(1000, 100, "0")), "updater.learning_rate: is 0 from about step 109" + end);
  EXPECT_EQ(Found(Steps(1000, 100, "1e-7")),
            "updater.learning_rate: is 1e-06 or less from about step 109" + end);
  EXPECT_EQ(Found(Steps(1000, 100, "1e-5")), "");
  EXPECT_EQ(Found(Steps(1000, 600, "0")), "");
}

// Returns a job with this type of schedule, which reaches `final_lr` at step `end`.
std::string Annealed(const std::string& type, int64_t end, const std::string& final_lr) {
  return StrCat("train_steps: 1000 updater { type: kSGD learning_rate { ", type,
                " { change_freq: ", end, " final_lr: ", final_lr, " } } }");
}

TEST(ScheduleWarnings, AScheduleThatReachesNothingBeforeHalfOfTheTraining) {
  const std::string end = " on: the rest of the 1000 steps trains nothing\n";
  for (const char* type : {"type: kCosine cosine_conf", "type: kPolynomial polynomial_conf"}) {
    EXPECT_EQ(Found(Annealed(type, 300, "0")),
              "updater.learning_rate: is 0 from about step 309" + end)
        << type;
    EXPECT_EQ(Found(Annealed(type, 300, "1e-4")), "") << type;
    EXPECT_EQ(Found(Annealed(type, 1000, "0")), "") << type;
  }
}

TEST(ScheduleWarnings, AWarmUpThatIsLongerThanTheTraining) {
  const auto found = [](const std::string& length, const std::string& rate) {
    return Found(
        StrCat(length, " updater { type: kSGD learning_rate { type: kFixed ", rate, " } }"));
  };
  const std::string field = "updater.learning_rate.warmup_steps: is more than the ";
  const std::string end = " of the training: the rate never reaches that of the schedule\n";
  EXPECT_EQ(found("train_steps: 50", "warmup_steps: 51"), field + "50 steps" + end);
  EXPECT_EQ(found("train_steps: 50", "warmup_steps: 50"), "");
  EXPECT_EQ(found("train_epochs: 3", "unit: kEpochs warmup_steps: 4"), field + "3 epochs" + end);
  EXPECT_EQ(found("train_epochs: 3", "warmup_steps: 4"), "");
  EXPECT_EQ(found("train_steps: 3", "unit: kEpochs warmup_steps: 4"), "");
}

TEST(ScheduleWarnings, AnEarlyStopNeedsAValidationWithinTheTraining) {
  const std::string start =
      "stop_patience: has no effect: the training ends after 50 steps, before the first "
      "validation ";
  const auto found = [](const std::string& more) {
    return Found("train_steps: 50 stop_patience: 3 " + more);
  };
  EXPECT_EQ(found("validate_freq: 51"), start + "(validate_freq: 51)\n");
  EXPECT_EQ(found("validate_freq: 5 validate_after: 60"), start + "(validate_after: 60)\n");
  EXPECT_EQ(found("validate_freq: 50 test_freq: 51"), "");
  EXPECT_EQ(found("validate_freq: 51 validate_after: 30"), "");
  EXPECT_EQ(Found("train_epochs: 5 stop_patience: 3 validate_freq: 51"), "");
  EXPECT_EQ(Found("train_steps: 50 validate_freq: 51"), "");
}

TEST(ScheduleWarnings, AnEarlyStopByTestsNeedsATestWithinTheTraining) {
  const auto found = [](const std::string& more) {
    return Found("train_steps: 50 stop_patience: 3 " + more);
  };
  EXPECT_EQ(found("test_freq: 51"),
            "stop_patience: has no effect: the training ends after 50 steps, before the first test "
            "(test_freq: 51)\n");
  EXPECT_EQ(found("test_freq: 50"), "");
  EXPECT_EQ(found("test_epochs: 1"), "");
}

TEST(ScheduleWarnings, AnEarlyStopCountsEachModelOfLocalStepsOnce) {
  const auto found = [](const std::string& more, const std::string& sync = "kOuter") {
    return Found(StrCat("train_steps: 900 stop_patience: 3 ", more,
                        " cluster { nworker_groups: 2 nserver_groups: 2 group_sync: ", sync,
                        " sync_freq: 100 outer_fragments: 2 }"));
  };
  EXPECT_EQ(found("validate_freq: 49"),
            "stop_patience: may end the training too early: with group_sync: kOuter the model "
            "changes every 50 steps, and each validation (validate_freq: 49) in between counts as "
            "one that is not better\n");
  EXPECT_NE(found("test_freq: 49"), "");
  EXPECT_EQ(found("validate_freq: 50 test_freq: 1"), "");
  EXPECT_EQ(found("validate_freq: 49", "kMaster"), "");
}

TEST(ScheduleWarnings, AFewStepsMayHaveAnyRate) { EXPECT_EQ(Found(Steps(99, 10, "0")), ""); }

TEST(ScheduleWarnings, ARateThatIsAMistakeIsReportedElsewhere) {
  EXPECT_EQ(Found("train_steps: 1000 updater { learning_rate { user_type: 'none' } }"), "");
}

// Returns the hints for a net whose layer "both" joins two features of "data".
std::string Hints(const std::string& concate, const std::string& loss) {
  const NetProto conf = JobOfText(StrCat(R"(neuralnet {
        layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 4
                shape: 8 synthetic_conf { records: 12 classes: 2 } } }
        layer { name: "a" type: kReLU srclayers: "data" }
        layer { name: "b" type: kSigmoid srclayers: "data" }
        layer { name: "both" type: kConcate srclayers: "a" srclayers: "b" )",
                                         concate, " } ", loss, " }"))
                            .neuralnet();
  ParamTable params;
  ConfigErrors errors;
  const Net net = BuildNet(conf, {}, &params, &errors);
  return LinesOf(ConcateHints(conf, net));
}

TEST(ScheduleWarnings, RowsThatWereJoinedByMistake) {
  const std::string loss =
      "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'both' srclayers: 'data' }";
  EXPECT_EQ(Hints("", loss),
            "neuralnet.layer[both]: joins rows, as concate_dim is not set and then 0; set "
            "concate_conf { concate_dim: 1 } to join features\n");
  EXPECT_EQ(Hints("concate_conf { concate_dim: 0 }", loss), "");
  EXPECT_EQ(Hints("concate_conf { concate_dim: 1 }", loss), "");
  EXPECT_EQ(Hints("", ""), "");
}

}  // namespace
}  // namespace singa::schedule_warnings
