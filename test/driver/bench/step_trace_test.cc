// Tests the pictures of a step, whose times are written by hand.
#include "driver/bench/step_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "driver/bench/flame_svg.h"
#include "driver/bench/rank_trace.h"
#include "driver/bench/trace_json.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa::step_trace {
namespace {

using testing::HasSubstr;
using testing::Not;

// A step from 100 ms to 200 ms. The layer c1 computes for 20 ms, and c1_relu for 10 ms. In the 40
// ms of c1's backward pass its gradient is updated for 15 ms, of which it computes for 5 ms. The
// worker waits for 10 ms; 20 ms are left.
StepTrace Step() {
  constexpr int64_t kMs = kMillisecond;
  StepTrace trace = {.step = 7, .time = {100 * kMs, 200 * kMs}};
  trace.layers = {"c1", "c1_relu", "a<b"};
  trace.params = {"w&1", "b1"};
  trace.workers = {{{.kind = TraceSpan::kForwardCall, .layer = 0, .time = {100 * kMs, 120 * kMs}},
                    {.kind = TraceSpan::kForwardCall, .layer = 1, .time = {120 * kMs, 130 * kMs}},
                    {.kind = TraceSpan::kBackwardCall, .layer = 0, .time = {140 * kMs, 180 * kMs}},
                    {.kind = TraceSpan::kUpdates,
                     .layer = 0,
                     .param = 0,
                     .time = {150 * kMs, 165 * kMs},
                     .computing = 5 * kMs},
                    {.kind = TraceSpan::kWaiting, .layer = 2, .time = {180 * kMs, 190 * kMs}}},
                   {{.kind = TraceSpan::kForwardCall, .layer = 1, .time = {101 * kMs, 102 * kMs}}}};
  return trace;
}

nlohmann::json EventNamed(const nlohmann::json& trace, const std::string& name) {
  for (const nlohmann::json& event : trace["traceEvents"])
    if (event["name"] == name) return event;
  ADD_FAILURE() << "no event " << name << " in " << trace;
  return {};
}

TEST(SpansOf, InnerSpansFollowTheirOuterOnes) {
  const std::vector<LayerSpan> layers = {{.layer = 0, .time = {10, 20}, .wait = 4},
                                         {.layer = 1, .backward = true, .time = {30, 50}}};
  const std::vector<ExchangeSpan> exchange = {
      {.kind = ExchangeSpan::kAwait, .param = 0, .layer = 1, .time = {5, 10}},
      {.kind = ExchangeSpan::kPieces, .param = 0, .layer = 1, .time = {30, 50}, .computing = 7}};
  std::vector<std::string> found;
  for (const TraceSpan& span : SpansOf(layers, exchange, TraceSpan::kUpdates))
    found.push_back(
        StrCat(NameOf(span.kind), " of ", span.layer, ": ", span.time.from, " to ", span.time.to));
  EXPECT_THAT(found, testing::ElementsAre("wait of 1: 5 to 10", "forward of 0: 10 to 20",
                                          "wait of 0: 10 to 14", "backward of 1: 30 to 50",
                                          "update of 1: 30 to 50"));
}

TEST(TraceJson, HasEachSpanInMicrosecondsSinceTheStepBegan) {
  const auto trace = nlohmann::json::parse(TraceJson({RankTraceOf(Step())}));
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
  EXPECT_EQ(trace["traceEvents"].size(), 11U);
  EXPECT_EQ(EventNamed(trace, "w&1 update"),
            nlohmann::json::parse(R"({"name": "w&1 update", "cat": "update", "ph": "X",
                "ts": 50000.0, "dur": 15000.0, "pid": 0, "tid": 0,
                "args": {"layer": "c1", "param": "w&1", "backward_us": 5000.0}})"));
  EXPECT_EQ(EventNamed(trace, "step 7")["dur"], 100000);
  EXPECT_EQ(EventNamed(trace, "process_name")["args"]["name"], "rank 0");
  EXPECT_EQ(EventNamed(trace, "thread_name")["args"]["name"], "worker 0");
}

TEST(TraceJson, PutsGradientsThatOverlapOnTracksOfTheirOwn) {
  StepTrace step = Step();
  step.flights = {{.param = 0, .step = 7, .time = {step.time.from + 5, step.time.from + 9}},
                  {.param = 1, .step = 7, .time = {step.time.from + 8, step.time.from + 20}},
                  {.param = 1, .step = 6, .time = {step.time.from, step.time.from + 5}}};
  const auto trace = nlohmann::json::parse(TraceJson({RankTraceOf(step)}));
  std::vector<std::pair<int64_t, int>> steps_and_tracks;
  for (const nlohmann::json& event : trace["traceEvents"])
    if (event.value("cat", "") == "communication")
      steps_and_tracks.emplace_back(event["args"]["step"], event["tid"]);
  using Pairs = std::vector<std::pair<int64_t, int>>;
  EXPECT_EQ(steps_and_tracks, (Pairs{{6, 2}, {7, 2}, {7, 3}}));
}

TEST(TraceJson, ReplacesBytesThatAreNotUtf8) {
  StepTrace step = Step();
  step.layers[0] = "\xFF\"\n";
  EXPECT_EQ(EventNamed(nlohmann::json::parse(TraceJson({RankTraceOf(step)})),
                       "\uFFFD\"\n forward")["tid"],
            0);
}

// Rank 1 has rank 0's clock and begins 2 ms later, rank 2 has another clock, and rank 3 no workers.
TEST(TraceJson, PutsTheProcessesOfAJobOnOneTimeline) {
  RankTrace first = RankTraceOf(Step()), second = first, third = first;
  first.clock = second.clock = "a";
  second.begin += 2 * kMillisecond;
  third.clock = "b";
  third.host = "far";
  const auto trace = nlohmann::json::parse(TraceJson(
      {first, ParseRankTrace(ToText(second), 1), ParseRankTrace(ToText(third), 2), RankTrace()}));
  std::vector<std::string> found;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["name"] == "process_name")
      found.push_back(
          StrCat(event["pid"].get<int>(), ": ", event["args"]["name"].get<std::string>()));
    if (event["name"] == "w&1 update")
      found.push_back(StrCat(event["pid"].get<int>(), " at ", event["ts"].get<double>()));
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{"0: rank 0", "0 at 50000", "1: rank 1", "1 at 52000",
                                      "2: rank 2 on far, put where rank 0 begins", "2 at 50000"}));
}

TEST(ParseRankTrace, RefusesTextThatIsNoTrace) {
  const std::string right = ToText(RankTraceOf(Step()));
  for (const std::string& wrong :
       {std::string("state"), std::string("[]"), std::string("{}"),
        right.substr(0, right.size() / 2),
        std::string(R"({"host":"h","clock":"c","begin":0.5,"events":[]})"),
        std::string(R"({"host":"h","clock":"c","begin":1,"events":[7]})"),
        std::string(R"({"host":"h","clock":"c","begin":1,"events":[{"ts":"1"}]})")})
    EXPECT_THROW(ParseRankTrace(wrong, 1), DataError) << wrong;
  EXPECT_TRUE(ParseRankTrace("", 1).events.empty());
}

TEST(FlameSvg, WidthsAreTheTimesOfPhasesBlocksAndLayers) {
  const std::string svg = FlameSvg(Step());
  for (const char* title :
       {"step 7: 100.000 ms, 100.0 %", "forward: 30.000 ms, 30.0 %", "c1_relu: 10.000 ms, 10.0 %",
        "c1: 30.000 ms, 30.0 %", "c1: 20.000 ms, 20.0 %", "backward: 30.000 ms, 30.0 %",
        "updates: 10.000 ms, 10.0 %", "waits: 10.000 ms, 10.0 %", "rest: 20.000 ms, 20.0 %"})
    EXPECT_THAT(svg, HasSubstr("<title>" + std::string(title) + "</title>"));
  EXPECT_THAT(svg, HasSubstr("width=\"354.00\" height=\"23\" fill=\"#9ecae1\""));
  EXPECT_THAT(svg, Not(HasSubstr("communication")));
}

TEST(FlameSvg, EscapesNames) {
  StepTrace step = Step();
  step.layers[0] = "\x01&\xFF";
  const std::string svg = FlameSvg(step);
  EXPECT_THAT(svg, HasSubstr("<title>a&lt;b: 10.000 ms, 10.0 %</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>?&amp;\uFFFD: 20.000 ms, 20.0 %</title>"));
}

TEST(StepTraces, KeepsTheLastStepsAndChoosesTheMedian) {
  StepTraces traces;
  constexpr auto kKept = static_cast<int64_t>(StepTraces::kKept);
  for (int64_t step = 0; step < 3; ++step) traces.Add({.step = step, .time = {0, 1'000'000}});
  for (int64_t step = 0; step < kKept; ++step) traces.Add({.step = step, .time = {50, 60 + step}});
  EXPECT_EQ(traces.Median().step, kKept / 2);
  EXPECT_EQ(traces.Find(kKept - 1)->time.to, 60 + kKept - 1);
  EXPECT_EQ(traces.Find(kKept), nullptr);
}

}  // namespace
}  // namespace singa::step_trace
