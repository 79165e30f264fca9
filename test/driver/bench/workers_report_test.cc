#include "driver/bench/workers_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "singa/base/str_cat.h"

namespace singa::workers_report {
namespace {

using testing::HasSubstr;

// Three steps of two params. The sum of "upper" is known in the last step alone.
WorkersReport Report() {
  WorkersReport report;
  report.gradients = {{.param = "lower", .bytes = 2000}, {.param = "upper", .bytes = 500}};
  report.sync = "servers";
  report.workers = report.processes = 2;
  report.batch = 30;
  report.shares = {
      {.workers = 1, .step_ms = 15, .sync_wait_ms = 3, .coding_ms = 0.5, .bytes_sent = 1e6},
      {.workers = 1, .step_ms = 16, .sync_wait_ms = 2, .coding_ms = 0.25, .bytes_sent = 2e6}};
  std::vector<StepFigures> figures;
  for (const double exposed : {4, 1, 2})
    figures.push_back(
        {.step = 15, .forward = 3, .backward = 5, .exposed = exposed, .communication = 8});
  const std::vector<std::vector<GradientTimes>> gradients = {
      {{7, 9, 1}, {3, -1, 0}}, {{8, 12, 2}, {4, -1, 0}}, {{9, 10, 3}, {5, 6.5, 0}}};
  return WithSteps(report, figures, gradients);
}

TEST(WorkersReport, NumbersAreMedians) {
  const WorkersReport report = Report();
  EXPECT_EQ(report.steps, 3);
  EXPECT_EQ(report.step.exposed, 2);
  EXPECT_EQ(report.hidden, 0.75);  // 1 - 2 / 8
  EXPECT_EQ(report.step.other(), 15 - 3 - 5 - 2);
}

// The delays of "lower" are 2, 4 and 1; that of "upper" is 1.5.
TEST(WorkersReport, GradientsAreInTheOrderOfTheirTimes) {
  const WorkersReport report = Report();
  ASSERT_EQ(report.gradients[0].param, "upper");
  EXPECT_EQ(report.gradients[0].times.ready, 4);
  EXPECT_EQ(report.gradients[0].times.sum, 4 + 1.5);
  ASSERT_EQ(report.gradients[1].param, "lower");
  EXPECT_EQ(report.gradients[1].times.ready, 8);
  EXPECT_EQ(report.gradients[1].times.sum, 8 + 2);
  EXPECT_EQ(report.gradients[1].times.wait, 2);
}

TEST(WorkersReport, TheTableSaysWhatIsMeasuredWhere) {
  const std::string text = WorkersTable(Report());
  for (const char* part :
       {"2 workers in 2 processes, gradients by servers\ntimes of 1 worker of group 0 in process 0",
        "lower           2.0      8.000     10.000      2.000\n",
        "step             15.000 ms, 2000 samples/s of a group, median of 3 steps\n",
        "  compute         8.000 ms, 3.000 forward, 5.000 backward\n",
        "communication     8.000 ms, 75 % of it hidden\n", "sent              3.000 MB a step\n",
        "\n1                1     16.000      2.000      0.250      2.000\n"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(WorkersReport, TheTableHasTheLargestGradients) {
  WorkersReport report = Report();
  for (int i = 0; i < 12; ++i) report.gradients.push_back({StrCat("more", i), 1000 + i, {}});
  const std::string text = WorkersTable(report);
  EXPECT_THAT(text, HasSubstr("\nlower "));
  EXPECT_THAT(text, HasSubstr("\nmore11 "));
  EXPECT_THAT(text, testing::Not(HasSubstr("\nupper ")));
  EXPECT_THAT(text, HasSubstr("\nand 2 smaller gradients\n"));
}

TEST(WorkersReport, JsonHasALineForEachGradientAndTheStep) {
  WorkersReport report = Report();
  report.gradients[0].times.sum = -1;
  std::istringstream lines(WorkersJson(report));
  std::vector<nlohmann::json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(objects.size(), 5u);
  EXPECT_EQ(objects[0]["gradient"], "upper");
  EXPECT_TRUE(objects[0]["sum_ms"].is_null());
  EXPECT_EQ(objects[1]["next_forward_wait_ms"], 2);
  EXPECT_EQ(objects[3]["process"], 1);
  EXPECT_EQ(objects[3]["coding_ms"], 0.25);
  EXPECT_EQ(objects[4]["compute_ms"], 8);
  EXPECT_EQ(objects[4]["hidden_share"], 0.75);
  EXPECT_EQ(objects[4]["bytes_sent"], 3e6);
}

}  // namespace
}  // namespace singa::workers_report
