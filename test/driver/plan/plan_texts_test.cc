#include "driver/plan/plan_texts.h"

#include <gtest/gtest.h>

#include "support/driver/some_partition.h"

namespace singa::plan_texts {
namespace {

TEST(PartitionText, ComesBack) {
  const auto read = AutoPartitionOf(ToText(SomePartition()));
  ASSERT_TRUE(read) << ToText(SomePartition());
  EXPECT_EQ(read->division, SomePartition().division);
  EXPECT_EQ(read->workers, 4);
  EXPECT_EQ(read->predicted_ms, 1.5);
  EXPECT_EQ(read->predicted_bytes, 1000);
  EXPECT_EQ(read->tried, SomePartition().tried);
  EXPECT_EQ(read->tried_ms, 5);
  EXPECT_EQ(ToText(*read), ToText(SomePartition()));
}

TEST(PartitionText, ThatIsDamagedIsNotUsed) {
  for (const char* text :
       {"", "{", "3", "{}", R"({"layers":3,"workers":2})", R"({"layers":[3],"workers":2})",
        R"({"layers":[{"rows":1,"units":2}],"workers":2})",
        R"({"layers":[{"name":1,"rows":1,"units":2}],"workers":2})",
        R"({"layers":[{"name":"a","rows":0,"units":2}],"workers":2})",
        R"({"layers":[{"name":"a","rows":1,"units":"2"}],"workers":2})",
        R"({"layers":[{"name":"a","rows":1,"units":4294967298}],"workers":2})", R"({"layers":[]})",
        R"({"layers":[],"workers":"2"})", R"({"layers":[],"workers":0})",
        R"({"layers":[],"workers":4294967298})", R"({"layers":[],"workers":18446744073709551615})"})
    EXPECT_FALSE(AutoPartitionOf(text)) << text;
}

TEST(PartitionText, HasNoNumbersThatCannotBe) {
  const auto read = AutoPartitionOf(
      R"({"layers":[],"workers":2,"predicted_ms":-1,"measured_ms":"x","predicted_bytes":1e300})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->predicted_ms, 0);
  EXPECT_EQ(read->measured_ms, 0);
  EXPECT_EQ(read->predicted_bytes, 0);
}

TEST(TimesText, ComesBack) {
  PartTimes times;
  times.layers["a \"b\""] = {.forward = 1.5, .backward = 2, .update = 0.25};
  times.rest_ms = 3;
  times.spread = 0.125;
  times.others = {1.5, 2};
  const auto read = TimesOf(ToText(std::vector<PartTimes>{times, {}}));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->front().layers.at("a \"b\"").backward, 2);
  EXPECT_EQ(read->front().layers.at("a \"b\"").update, 0.25);
  EXPECT_EQ(read->front().rest_ms, 3);
  EXPECT_EQ(read->front().spread, 0.125);
  EXPECT_EQ(read->front().others.used, 1.5);
  EXPECT_EQ(read->front().others.of, 2);
  EXPECT_TRUE(read->back().layers.empty());
}

TEST(TimesText, ThatIsDamagedIsNotUsed) {
  for (const char* text :
       {"", "{", "{}", "1", "[1]", R"([{"rest_ms":1,"spread":0}])",
        R"([{"rest_ms":1,"spread":0,"layers":{}}])", R"([{"rest_ms":-1,"spread":0,"layers":[]}])",
        R"([{"rest_ms":"x","spread":0,"layers":[]}])", R"([{"rest_ms":1,"spread":0,"layers":[3]}])",
        R"([{"rest_ms":1,"spread":0,"layers":[{"name":"a","forward_ms":1}]}])",
        R"([{"rest_ms":1e999,"spread":0,"layers":[]}])",
        R"([{"rest_ms":1,"spread":0,"layers":[],"other_programs":2}])",
        R"([{"rest_ms":1,"spread":0,"layers":[],"other_programs":{"cores":-1,"of":2}}])",
        R"([{"rest_ms":1,"spread":0,"layers":[]}, {}])"})
    EXPECT_FALSE(TimesOf(text)) << text;
}

TEST(StepTimesText, ComesBack) {
  const StepTimes times = {{{}, 3}, {{{"fc1", {1, 4}}, {"fc2", {2, 2}}}, 2.5}};
  EXPECT_EQ(StepTimesOf(ToText(times)), times);
  EXPECT_EQ(StepTimesOf(ToText(StepTimes())), StepTimes());
}

TEST(StepTimesText, ThatIsDamagedIsNotUsed) {
  for (const char* text : {"", "{}", "[3]", R"([{"step_ms":1}])", R"([{"layers":[]}])",
                           R"([{"layers":3,"step_ms":1}])", R"([{"layers":[],"step_ms":0}])",
                           R"([{"layers":[],"step_ms":1e999}])",
                           R"([{"layers":[{"name":"a","rows":0,"units":2}],"step_ms":1}])"})
    EXPECT_FALSE(StepTimesOf(text)) << text;
}

TEST(ErrorsText, ComesBack) {
  const std::vector<double> errors = {-0.25, 0.5, 3};
  EXPECT_EQ(ErrorsOf(ErrorsText(errors)), errors);
  EXPECT_EQ(ErrorsOf(ErrorsText({})), std::vector<double>());
}

TEST(ErrorsText, ThatIsDamagedIsNotUsed) {
  std::string many = "[0";
  for (int i = 0; i < 100; ++i) many += ",0";
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("{}"), std::string("[-1]"),
        std::string("[\"1\"]"), std::string("[1e999]"), std::string("[null]"), many + "]"})
    EXPECT_FALSE(ErrorsOf(text)) << text;
}

}  // namespace
}  // namespace singa::plan_texts
