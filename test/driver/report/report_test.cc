// Tests the numbers of a report. All expected ones are computed by hand.
#include "driver/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa::report {
namespace {

using testing::HasSubstr;

constexpr double kClose = 1e-6;

ReportOptions Classes(int64_t classes) { return {.layer = "loss", .outputs = classes}; }

ReportOptions Targets(JudgedOutput::Kind kind) {
  return {.judged = {.kind = kind, .targets = 3, .first_target = 1}, .layer = "out", .outputs = 2};
}

nlohmann::json JsonOf(const std::unique_ptr<Report>& report) {
  return nlohmann::json::parse(report->Json());
}

// Two right records and a wrong one. The third class neither occurs nor is predicted.
std::unique_ptr<Report> OfThreeRecords(ReportOptions options) {
  std::unique_ptr<Report> report = NewReport(options);
  const std::vector<float> scores[] = {{.7f, .2f, .1f}, {.3f, .6f, .1f}, {.1f, .8f, .1f}};
  report->Write("a", -1, {0}, scores[0]);
  report->Write("b", -1, {0}, scores[1]);
  report->Write("c", -1, {1}, scores[2]);
  return report;
}

TEST(ReportTest, OfClassesHasTheirRatesAndTheMatrix) {
  const nlohmann::json json = JsonOf(OfThreeRecords(Classes(3)));
  EXPECT_EQ(json["records"], 3);
  EXPECT_NEAR(json["accuracy"], 2. / 3, kClose);
  EXPECT_NEAR(json["loss"], -std::log(.7 * .3 * .8) / 3, kClose);
  EXPECT_NEAR(json["classes"][0]["precision"], 1, kClose);
  EXPECT_NEAR(json["classes"][0]["recall"], .5, kClose);
  EXPECT_NEAR(json["classes"][0]["f1"], 2. / 3, kClose);
  EXPECT_EQ(json["classes"][0]["support"], 2);
  EXPECT_NEAR(json["classes"][1]["precision"], .5, kClose);
  EXPECT_NEAR(json["micro"]["f1"], 2. / 3, kClose);
  EXPECT_EQ(json["confusion"].dump(), "[[1,1,0],[0,1,0],[0,0,0]]");
}

TEST(ReportTest, ARateThatDividesByZeroIsNullAndInNoMacroMean) {
  const std::unique_ptr<Report> report = OfThreeRecords(Classes(3));
  const nlohmann::json json = JsonOf(report);
  for (const char* rate : {"precision", "recall", "f1"})
    EXPECT_TRUE(json["classes"][2][rate].is_null()) << rate;
  EXPECT_NEAR(json["macro"]["precision"], .75, kClose);
  EXPECT_EQ(json["macro"]["precision_classes"], 2);
  EXPECT_THAT(report->Text(), HasSubstr("they are over 2, 2 and 2 of 3"));
  const std::unique_ptr<Report> none = NewReport(Classes(3));
  EXPECT_TRUE(JsonOf(none)["accuracy"].is_null());
  EXPECT_THAT(none->Text(), HasSubstr("accuracy           -\n"));
}

TEST(ReportTest, CalibrationHasFifteenBinsOfTheBestProbability) {
  const nlohmann::json json = JsonOf(OfThreeRecords(Classes(3)));
  EXPECT_NEAR(json["calibration_error"], (.3 + .6 + .2) / 3, kClose);
  ASSERT_EQ(json["calibration_bins"].size(), 15u);
  EXPECT_EQ(json["calibration_bins"][10]["records"], 1);  // 0.7 is in (10/15, 11/15]
  EXPECT_NEAR(json["calibration_bins"][10]["probability"], .7, kClose);
  EXPECT_TRUE(json["calibration_bins"][0]["accuracy"].is_null());
}

TEST(ReportTest, NamesTheWorstRecordsFirst) {
  ReportOptions options = Classes(3);
  options.worst = 2;
  options.names = {"cat", "dog", "cow"};
  const std::unique_ptr<Report> report = OfThreeRecords(options);
  const std::vector<float> tie = {.3f, .7f, 0};  // as bad as "b"
  report->Write("d", -1, {0}, tie);
  const nlohmann::json worst = JsonOf(report)["worst"];
  ASSERT_EQ(worst.size(), 2u);
  EXPECT_EQ(worst[0]["record"], "b");
  EXPECT_EQ(worst[0]["label_name"], "cat");
  EXPECT_EQ(worst[0]["predicted_name"], "dog");
  EXPECT_EQ(worst[1]["record"], "d");
}

TEST(ReportTest, CountsLabelsAmongTheBest) {
  ReportOptions options = Classes(3);
  options.top = 2;
  const nlohmann::json json = JsonOf(OfThreeRecords(options));
  EXPECT_EQ(json["top_k"], 2);
  EXPECT_NEAR(json["top_k_accuracy"], 1, kClose);
}

TEST(ReportTest, ManyClassesHaveNoWholeMatrix) {
  std::vector<float> scores(1001, 0);
  scores[7] = 1;
  const std::unique_ptr<Report> many = NewReport(Classes(1001)), some = NewReport(Classes(1000));
  many->Write("a", -1, {1000}, scores);
  EXPECT_TRUE(JsonOf(many)["confusion"].is_null());
  EXPECT_EQ(JsonOf(many)["confusion_cells"].dump(), "[[1000,7,1]]");
  EXPECT_THAT(many->Text(), HasSubstr("largest confusions: class  predicted  records\n1000 "));
  EXPECT_EQ(JsonOf(some)["confusion"].size(), 1000u);
}

TEST(ReportTest, RecordsWithoutALabelDoNotCountUnlessNoneHasOne) {
  ReportOptions options = Classes(2);
  options.ignored = -7;
  const std::unique_ptr<Report> report = NewReport(options);
  const std::vector<float> scores = {1, 0};
  report->Write("a", -1, {}, scores);
  report->Write("b", -1, {-7}, scores);
  report->Write("c", -1, {0}, scores);
  EXPECT_NO_THROW(report->EndInput("x"));
  EXPECT_EQ(JsonOf(report)["records"], 1);
  EXPECT_EQ(JsonOf(report)["without_label"], 1);
  report->Write("d", -1, {}, scores);
  EXPECT_ERROR(report->EndInput("y"), kExitBadData, "y", "no record has a label");
  EXPECT_NO_THROW(report->EndInput("an input without records"));
}

TEST(ReportTest, OfLabelsHasTheRatesOfEach) {
  const std::unique_ptr<Report> report = NewReport(Targets(JudgedOutput::kLabels));
  const std::vector<float> targets[] = {{9, 1, 0}, {9, 1, 1}}, scores = {.9f, .2f};
  report->Write("a", -1, {.targets = targets[0]}, scores);
  report->Write("b", -1, {.targets = targets[1]}, scores);
  const nlohmann::json json = JsonOf(report);
  EXPECT_NEAR(json["accuracy"], .75, kClose);
  EXPECT_NEAR(json["subset_accuracy"], .5, kClose);
  EXPECT_NEAR(json["labels"][0]["f1"], 1, kClose);
  EXPECT_TRUE(json["labels"][1]["precision"].is_null());
  EXPECT_NEAR(json["labels"][1]["recall"], 0, kClose);
  EXPECT_NEAR(json["macro"]["f1"], .5, kClose);
  EXPECT_NEAR(json["micro"]["f1"], .8, kClose);  // 2 * 2 / (2 + 3)
  EXPECT_EQ(json["worst"][0]["record"], "b");
  EXPECT_EQ(json["worst"][0]["labels"].dump(), "[0,1]");
  EXPECT_NEAR(json["worst"][0]["loss"], -(std::log(.9) + std::log(.2)) / 2, kClose);
}

TEST(ReportTest, OfNumbersHasTheErrorsOfEachTarget) {
  const std::unique_ptr<Report> report = NewReport(Targets(JudgedOutput::kNumbers));
  const std::vector<float> targets[] = {{9, 1, 5}, {9, 3, 5}}, scores[] = {{1, 5}, {4, 7}};
  report->Write("a", -1, {.targets = targets[0]}, scores[0]);
  report->Write("b", -1, {.targets = targets[1]}, scores[1]);
  const nlohmann::json json = JsonOf(report);
  EXPECT_NEAR(json["targets"][0]["mae"], .5, kClose);
  EXPECT_NEAR(json["targets"][0]["rmse"], std::sqrt(.5), kClose);
  EXPECT_NEAR(json["targets"][0]["r2"], .5, kClose);  // 1 - 1 / 2
  EXPECT_NEAR(json["targets"][1]["r2"], 0, kClose);   // equal targets, not all exact
  EXPECT_NEAR(json["loss"], 2.5, kClose);
  EXPECT_NEAR(json["rmse"], std::sqrt(1.25), kClose);
  EXPECT_EQ(json["worst"][0]["record"], "b");
  EXPECT_THAT(report->Text(), HasSubstr("b              3,5      4,7"));
}

TEST(ReportTest, TargetsThatDoNotFitNameTheirRecord) {
  const std::vector<float> few = {1, 1}, large = {0, 2, 1}, scores = {.5f, .5f};
  const std::unique_ptr<Report> report = NewReport(Targets(JudgedOutput::kLabels));
  EXPECT_ERROR(report->Write("a", -1, {.targets = few}, scores), kExitBadData,
               "record a: has 2 targets, the net has 3");
  EXPECT_ERROR(report->Write("b", -1, {.targets = large}, scores), kExitBadData,
               "record b: a target is 2, layer \"out\" allows 0 to 1");
  const std::unique_ptr<Report> none = NewReport(Targets(JudgedOutput::kNumbers));
  none->Write("c", -1, {}, scores);
  EXPECT_ERROR(none->EndInput("x"), kExitBadData, "x: no record has targets");
}

TEST(ReportTest, ScoresThatAreNotFiniteChangeNoNumber) {
  const std::unique_ptr<Report> report = OfThreeRecords(Classes(3));
  const std::vector<float> scores = {.1f, std::numeric_limits<float>::quiet_NaN(), .1f};
  report->Write("d", -1, {0}, scores);
  EXPECT_EQ(JsonOf(report)["records"], 3);
  EXPECT_ERROR(report->RequireFinite("loss"), kExitDiverged,
               "record d: the scores of layer \"loss\"");
}

}  // namespace
}  // namespace singa::report
