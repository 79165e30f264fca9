#include "driver/board/metrics_text.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

using nlohmann::json;

std::string TextFor(const json& row, const std::string& name = "a", double bytes_sent = 0) {
  RunState run;
  run.name = name;
  run.newest.push_back({row, bytes_sent, 0});
  return MetricsText({run});
}

void ExpectLine(const std::string& text, const std::string& line) {
  EXPECT_NE(("\n" + text).find("\n" + line + "\n"), std::string::npos) << line << "\nin\n" << text;
}

TEST(MetricsTextTest, WritesATrainingRowInBaseUnits) {
  const json row = {{"time", 1700000000.5}, {"phase", "train"}, {"step", 40},
                    {"group", 0},           {"layer", "loss"},  {"loss", 0.25},
                    {"step_ms", 12.5},      {"lr", 0.1},        {"bytes_sent", 7}};
  const std::string text = TextFor(row, "a", 1000);
  ExpectLine(text, R"(singa_train_loss{run="a",layer="loss",group="0"} 0.25)");
  ExpectLine(text, R"(singa_step{run="a",group="0"} 40)");
  ExpectLine(text, R"(singa_steps_total{run="a",group="0"} 41)");
  ExpectLine(text, R"(singa_step_duration_seconds{run="a",group="0"} 0.0125)");
  ExpectLine(text, R"(singa_learning_rate{run="a",group="0"} 0.1)");
  ExpectLine(text, R"(singa_bytes_sent_total{run="a",group="0"} 1000)");
  ExpectLine(text, R"(singa_last_row_timestamp_seconds{run="a"} 1700000000.5)");
  ExpectLine(text, "# TYPE singa_train_loss gauge");
  ExpectLine(text, "# TYPE singa_bytes_sent_total counter");
}

TEST(MetricsTextTest, WritesAProcessPartByPart) {
  const json row = {{"phase", "process"}, {"step", 1},        {"group", 0},
                    {"rank", 2.0},        {"host", "n1"},     {"compute_ms", 5},
                    {"sync_wait_ms", 3},  {"data_wait_ms", 2}};
  const std::string text = TextFor(row);
  ExpectLine(text, R"(singa_process_step_seconds{run="a",rank="2",host="n1",group="0",)"
                   R"(part="sync_wait"} 0.003)");
}

TEST(MetricsTextTest, EscapesNamesAndSpellsNumbersThatAreNotFinite) {
  const json row = {{"phase", "validate"},   {"step", 1},     {"group", 0},
                    {"layer", "a\"b\\c\nd"}, {"loss", "nan"}, {"odd-name", "-inf"}};
  const std::string text = TextFor(row, "run \"1\"");
  ExpectLine(text, R"(singa_validation_loss{run="run \"1\"",layer="a\"b\\c\nd",group="0"} NaN)");
  ExpectLine(text, R"(singa_validation_odd_name{run="run \"1\"",layer="a\"b\\c\nd",group="0",)"
                   R"(metric="odd-name"} -Inf)");
}

TEST(MetricsTextTest, ReplacesBytesThatAreNoText) {
  const std::string text = TextFor({{"phase", "test"}, {"step", 1}, {"loss", 1}}, "a\xff");
  ExpectLine(text, "singa_test_loss{run=\"a\xef\xbf\xbd\",layer=\"\",group=\"\"} 1");
}

TEST(MetricsTextTest, KeepsMetricsApartThatDifferInPunctuation) {
  const std::string text = TextFor({{"phase", "test"},
                                    {"step", 1},
                                    {"group", 0},
                                    {"layer", "l"},
                                    {"top-1", 1},
                                    {"top.1", 2},
                                    {"top_1", 3}});
  ExpectLine(text, R"(singa_test_top_1{run="a",layer="l",group="0",metric="top-1"} 1)");
  ExpectLine(text, R"(singa_test_top_1{run="a",layer="l",group="0",metric="top.1"} 2)");
  ExpectLine(text, R"(singa_test_top_1{run="a",layer="l",group="0"} 3)");
}

TEST(MetricsTextTest, DescribesEachMetricOnce) {
  RunState a, b;
  a.name = "a";
  b.name = "b";
  const std::string text = MetricsText({a, b});
  const size_t first = text.find("# TYPE singa_rows_total counter\n");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("# TYPE singa_rows_total", first + 1), std::string::npos);
  ExpectLine(text, R"(singa_rows_total{run="b"} 0)");
}

}  // namespace
}  // namespace singa
