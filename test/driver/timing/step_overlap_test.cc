// Tests the arithmetic of communication and computing. Times are counted by hand.
#include "driver/timing/step_overlap.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

std::vector<std::pair<int64_t, int64_t>> PairsOf(const std::vector<Interval>& intervals) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const Interval& each : intervals) pairs.emplace_back(each.from, each.to);
  return pairs;
}

ExchangeSpan Span(int64_t from, int64_t to, int64_t computing = 0) {
  return {.kind = ExchangeSpan::kGradient, .time = {from, to}, .computing = computing};
}

TEST(StepOverlap, AUnionIsCutToItsWindowAndJoined) {
  const auto apart = UnionIn({10, 100}, {{40, 60}, {0, 20}, {20, 30}, {50, 55}, {90, 200}, {5, 9}});
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(PairsOf(apart), (Pairs{{10, 30}, {40, 60}, {90, 100}}));
  EXPECT_EQ(LengthOf(apart), 50);
  EXPECT_EQ(Overlap({25, 95}, apart), 30);  // 25 to 30, 40 to 60, 90 to 95
}

// Gradients are on their way from 10 to 40 and from 90 on. The worker is in its exchange for 3, for
// 12 of 20 while pieces are computed, and for 10, of which 5 before the second gradient.
TEST(StepOverlap, TheExchangeIsExposedWhereItsWorkerDoesNotCompute) {
  const std::vector<std::vector<ExchangeSpan>> spans = {
      {Span(12, 15), Span(25, 45, 8), Span(85, 95)}};
  const ExchangeTimes times =
      TimesOf({0, 100}, {{10, 30}, {20, 40}, {90, 130}}, spans, std::vector<UpdateSpan>());
  EXPECT_EQ(times.communication, 40);
  EXPECT_EQ(times.exposed, 3 + 7 + 5);
  EXPECT_EQ(times.worker_wait, 3 + 12 + 10 - 15);
  EXPECT_EQ(times.update, 0);
}

TEST(StepOverlap, UpdatesAreNotExposed) {
  const std::vector<std::vector<ExchangeSpan>> spans = {{Span(10, 30)}};
  const std::vector<UpdateSpan> updates = {{{12, 16}}, {{22, 28}}};  // 4 and 6, of which 4 inside
  const ExchangeTimes times = TimesOf({0, 50}, {{10, 20}}, spans, updates);
  EXPECT_EQ(times.exposed, 10 - 4);
  EXPECT_EQ(times.update, 10);
  EXPECT_EQ(times.worker_wait, 20 - 10 - 6);
}

TEST(StepOverlap, TimesAreMeansOverWorkers) {
  const std::vector<std::vector<ExchangeSpan>> spans = {{Span(10, 14)}, {Span(12, 20)}};
  const std::vector<UpdateSpan> updates = {{.time = {16, 20}, .threads = 2}};
  const ExchangeTimes times = TimesOf({0, 50}, {{10, 16}}, spans, updates);
  EXPECT_EQ(times.exposed, (4 + 4) / 2);
  EXPECT_EQ(times.update, 1);
  EXPECT_EQ(times.worker_wait, (4 + 8) / 2 - 1 - 4);
}

TEST(StepOverlap, NothingIsExposedWithoutAGradientOnItsWay) {
  const std::vector<std::vector<ExchangeSpan>> spans = {{Span(10, 14)}};
  const ExchangeTimes times = TimesOf({0, 50}, {}, spans, std::vector<UpdateSpan>());
  EXPECT_EQ(times.communication, 0);
  EXPECT_EQ(times.exposed, 0);
  EXPECT_EQ(times.worker_wait, 4);
}

}  // namespace
}  // namespace singa
