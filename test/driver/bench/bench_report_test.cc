#include "driver/bench/bench_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace singa::bench_report {
namespace {

BenchReport Report() {
  BenchReport report;
  report.layers = {{.layer = "data", .type = "kRecordInput", .forward_ms = 0.5},
                   {.layer = "a longer name",
                    .type = "kReLU",
                    .forward_ms = 1,
                    .backward_ms = 3,
                    .update_ms = 4,
                    .flops = 8e6,
                    .bytes = 16e6}};
  report.sum = {.layer = "sum", .type = "", .forward_ms = 1.5, .backward_ms = 3, .update_ms = 4};
  report.step_ms = 10;
  report.wait_ms = 0.25;
  report.overhead_ms = 1.25;
  report.batch = 50;
  report.steps = 1;
  report.threads = 2;
  report.peak = 20e9;
  report.copy_rate = 5e9;
  report.peak_rss = 3 << 20;
  return report;
}

TEST(BenchReport, RatesAreOfTheTimesThatTheyAreOver) {
  const BenchRow row = Report().layers[1];
  EXPECT_DOUBLE_EQ(row.gflops(), 2);    // 8e6 in 4 ms
  EXPECT_DOUBLE_EQ(row.gb_per_s(), 2);  // 16e6 in 8 ms
  EXPECT_EQ(BenchRow().gflops(), 0);
  EXPECT_EQ(BenchRow().gb_per_s(), 0);
  EXPECT_DOUBLE_EQ(Report().samples_per_second(), 5000);
}

TEST(BenchReport, TheTableIsAligned) {
  EXPECT_EQ("\n" + BenchTable(Report()), R"(
layer          type          forward ms  backward ms  update ms  GFLOP/s  GB/s  % of peak
data           kRecordInput       0.500        0.000      0.000        -     -          -
a longer name  kReLU              1.000        3.000      4.000      2.0   2.0         10
sum                               1.500        3.000      4.000        -     -          -

step             10.000 ms, 5000 samples/s, median of 1 step of 50
  layers          8.500 ms
  data wait       0.250 ms
  overhead        1.250 ms
machine        20 GFLOP/s and 5 GB/s (copy) on 2 threads
peak RSS       3 MiB
)");
}

TEST(BenchReport, TheTableNamesNoiseLateUpdatesAndTheGpu) {
  BenchReport report = Report();
  report.synthetic = true;
  report.late_update_ms = 0.5;
  report.gpu = "G";
  const std::string table = BenchTable(report);
  EXPECT_NE(table.find("  late updates    0.500 ms\n"), std::string::npos) << table;
  EXPECT_NE(table.find(" ms (noise in place of data)\n"), std::string::npos) << table;
  EXPECT_NE(table.find("20 GFLOP/s (product of large matrices) and 5 GB/s (copy) on G\n"),
            std::string::npos)
      << table;
}

TEST(BenchReport, JsonHasAnObjectForEachLayerAndOneForTheStep) {
  BenchReport report = Report();
  report.layers[0].layer = "caf\xe9";  // no UTF-8
  std::istringstream lines(BenchJson(report));
  std::vector<nlohmann::json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[1]["layer"], "a longer name");
  EXPECT_EQ(objects[1]["gflops"], 2);
  EXPECT_EQ(objects[1]["fma_share"], 0.1);
  EXPECT_FALSE(objects[2].contains("layer"));
  EXPECT_EQ(objects[2]["step_ms"], 10);
  EXPECT_EQ(objects[2]["samples_per_second"], 5000);
  EXPECT_EQ(objects[2]["fma_peak_gflops"], 20);
  EXPECT_FALSE(objects[2].contains("gpu"));
  report.gpu = "G";
  EXPECT_NE(BenchJson(report).find("\"gpu\":\"G\""), std::string::npos);
}

}  // namespace
}  // namespace singa::bench_report
