// Tests sums of the metrics of a net's layers. evaluator_test.cc and team_metrics_test.cc test
// their use.
#include "train/reduce/metric_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/net_test.h"
#include "support/proof_layers.h"

namespace singa::metric_sums {
namespace {

SINGA_REGISTER_LAYER(MetricSumsInput, TestInput);
SINGA_REGISTER_LAYER(MetricSumsLoss, TestLoss);

constexpr char kTwoLosses[] = R"(
  layer { name: "data" user_type: "MetricSumsInput" dummy_conf { shape: 2 shape: 3 } }
  layer { name: "near" user_type: "MetricSumsLoss" srclayers: "data" }
  layer { name: "far" user_type: "MetricSumsLoss" srclayers: "data" })";

// Two time steps of the data have a loss each, which are copies of one layer.
constexpr char kUnrolled[] = R"(unroll_len: 2
  layer { name: "data" user_type: "MetricSumsInput" unroll_len: 1 split_conf { num_splits: 2 }
          dummy_conf { shape: 2 shape: 3 } }
  layer { name: "loss" user_type: "MetricSumsLoss" srclayers: "data" })";

Metric& MetricOf(TestNet* test, const std::string& layer) {
  return test->net.Find(layer)->declared().metrics.front();
}

TEST(MetricSumsTest, HasAnEntryForEachLayerInTheirOrder) {
  TestNet test(kTwoLosses);
  const MetricSums sums(&test.net);
  ASSERT_EQ(sums.entries().size(), 2u);
  EXPECT_EQ(sums.entries()[0].layer, "near");
  EXPECT_EQ(sums.entries()[1].layer, "far");
  EXPECT_EQ(sums.entries()[1].name, "loss");
}

TEST(MetricSumsTest, CopiesOfALayerShareAnEntry) {
  NetOptions unfold;
  unfold.fold = false;
  TestNet test(kUnrolled, unfold);
  MetricSums sums(&test.net);
  ASSERT_EQ(sums.entries().size(), 1u);
  ASSERT_EQ(sums.cells().size(), 2u);
  sums.cells()[0].metric->Add(3, 1);
  sums.cells()[1].metric->Add(5, 1);
  sums.Take(test.ctx);
  EXPECT_EQ(sums.Numbers(), (std::vector<double>{8, 2}));
}

TEST(MetricSumsTest, TakesEachStepOnce) {
  TestNet test(kTwoLosses);
  MetricSums sums(&test.net);
  MetricOf(&test, "far").Add(6, 2);
  sums.Take(test.ctx);
  sums.Take(test.ctx);
  EXPECT_EQ(sums.Numbers(), (std::vector<double>{0, 0, 6, 2}));
  MetricOf(&test, "far").Add(1, 2);
  sums.Take(test.ctx);
  EXPECT_EQ(sums.entries()[1].value(), 7. / 4);
}

TEST(MetricSumsTest, AStepThatIsDroppedIsInNoSum) {
  TestNet test(kTwoLosses);
  MetricSums sums(&test.net);
  MetricOf(&test, "near").Add(6, 2);
  sums.Drop(test.ctx);
  sums.Take(test.ctx);
  EXPECT_EQ(sums.Numbers(), std::vector<double>(4));
}

TEST(MetricSumsTest, NothingHasNoMean) { EXPECT_TRUE(std::isnan(MetricSums::Entry().value())); }

TEST(MetricSumsTest, APerplexityIsTheExponentialOfTheMean) {
  MetricSums::Entry entry;
  entry.sum = 6;
  entry.weight = 2;
  entry.exponential = true;
  EXPECT_DOUBLE_EQ(entry.value(), std::exp(3));
}

TEST(MetricSumsTest, ADerivedMetricShowsItsPartsAsOneValue) {
  TestNet test(kTwoLosses);
  MetricSums sums(&test.net);
  sums.entries()[0].of = [](std::span<const double> of) { return of[0] + of[1] + of[2] + of[3]; };
  sums.entries()[0].parts = 2;
  sums.entries()[1].hidden = true;
  sums.SetNumbers(std::vector<double>{1, 2, 3, 4});
  const std::vector<MetricSums::Shown> shown = sums.Values();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].layer + shown[0].name, "nearloss");
  EXPECT_EQ(shown[0].value, 10);
}

TEST(MetricSumsTest, NumbersOfAnotherWorkerAreAdded) {
  TestNet test(kTwoLosses), other_test(kTwoLosses);
  MetricSums sums(&test.net), other(&other_test.net);
  sums.SetNumbers(std::vector<double>{1, 2, 3, 4});
  other.SetNumbers(std::vector<double>{10, 20, 30, 40});
  sums.Add(other);
  EXPECT_EQ(sums.Numbers(), (std::vector<double>{11, 22, 33, 44}));
}

TEST(MetricSumsTest, AResetLeavesEntriesWithoutNumbers) {
  TestNet test(kTwoLosses);
  MetricSums sums(&test.net);
  sums.SetNumbers(std::vector<double>{1, 2, 3, 4});
  sums.Reset();
  EXPECT_EQ(sums.Numbers(), std::vector<double>(4));
}

TEST(MetricSumsTest, WithoutANetThereIsNothingToTake) {
  MetricSums sums;
  Context ctx;
  sums.Take(ctx);
  EXPECT_TRUE(sums.Numbers().empty());
}

}  // namespace
}  // namespace singa::metric_sums
