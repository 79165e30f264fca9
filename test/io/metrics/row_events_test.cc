// Tests the tags and scalars of rows for TensorBoard.
#include "io/metrics/row_events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "io/metrics/event_head.h"

namespace singa {
namespace {

using Scalars = std::vector<std::pair<std::string, float>>;

Scalars ScalarsOf(const std::optional<tensorboard::Event>& event) {
  Scalars scalars;
  if (!event) return scalars;
  for (const auto& value : event->summary().value())
    scalars.emplace_back(value.tag(), value.simple_value());
  return scalars;
}

TEST(RowEvents, TagsNamePhaseAndMetric) {
  RowEvents events({});
  const auto event = events.Of({.phase = "train",
                                .step = 7,
                                .layer = "l",
                                .metrics = {{"loss", 0.1}},
                                .values = {{"lr", 0.5}}},
                               2.5);
  EXPECT_EQ(ScalarsOf(event), (Scalars{{"train/loss", 0.1f}, {"train/lr", 0.5f}}));
  EXPECT_EQ(event->wall_time(), 2.5);
  EXPECT_EQ(event->step(), 7);
}

TEST(RowEvents, TagsNameTheLayerOfAMetricThatSeveralHave) {
  RowEvents events({"loss"});
  const MetricsRow::Values values = {{"lr", 0.5}};
  EXPECT_EQ(ScalarsOf(events.Of(
                {.phase = "train", .layer = "a", .metrics = {{"loss", 1}}, .values = values}, 0)),
            (Scalars{{"train/loss/a", 1.f}, {"train/lr", 0.5f}}));
  EXPECT_EQ(ScalarsOf(events.Of(
                {.phase = "train", .layer = "b", .metrics = {{"loss", 2}}, .values = values}, 0)),
            (Scalars{{"train/loss/b", 2.f}}))
      << "the step's values come once";
}

TEST(RowEvents, TagsNameGroupAndRank) {
  RowEvents events({});
  const MetricsRow row = {
      .phase = "process", .group = 2, .layer = "", .values = {{"rank", 3}, {"step_ms", 4}}};
  const auto event = events.Of(row, 0);
  EXPECT_EQ(ScalarsOf(event), (Scalars{{"group2/process/rank3/step_ms", 4.f}}));
  const auto head = HeadOf(event->SerializeAsString());
  ASSERT_TRUE(head);
  EXPECT_EQ(head->group, 2);
  EXPECT_TRUE(head->has_rows);
}

TEST(RowEvents, KeepsValuesThatAreNotFinite) {
  RowEvents events({});
  const Scalars found = ScalarsOf(events.Of(
      {.phase = "test", .layer = "", .metrics = {{"a", std::nan("")}, {"b", -INFINITY}}}, 0));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(std::isnan(found[0].second));
  EXPECT_EQ(found[1].second, -std::numeric_limits<float>::infinity());
}

TEST(RowEvents, ARowWithoutValuesIsNoEvent) {
  EXPECT_FALSE(RowEvents({}).Of({.phase = "train", .layer = ""}, 0));
}

TEST(RowEvents, BytesThatAreNoTextAreReplaced) {
  RowEvents events({"loss"});
  EXPECT_EQ(ScalarsOf(events.Of({.phase = "test", .layer = "a\xff", .metrics = {{"loss", 1}}}, 0)),
            (Scalars{{"test/loss/a\xef\xbf\xbd", 1.f}}));
}

TEST(EventHead, IsOfWholeEventsAlone) {
  const std::string start = StartEvent(1, 5).SerializeAsString();
  ASSERT_TRUE(HeadOf(start));
  EXPECT_EQ(HeadOf(start)->step, 5);
  EXPECT_FALSE(HeadOf(start)->has_rows);
  EXPECT_FALSE(HeadOf(start.substr(0, start.size() - 1)));
  EXPECT_FALSE(HeadOf(std::string("\x2a\x05\x0a\x7f", 4))) << "a value longer than its summary";
}

}  // namespace
}  // namespace singa
