// Tests the rows of metrics of a job. remote_metrics_test tests rows of other processes.
#include "driver/job/job_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/net_test.h"
#include "support/threaded_job.h"

namespace singa::job_rows {
namespace {

using Values = MetricsRow::Values;

MetricSums Sums(const std::vector<MetricSums::Entry>& entries) {
  MetricSums sums;
  sums.entries() = entries;
  return sums;
}

const MetricSums kTwoLayers = Sums({{.layer = "loss", .name = "loss", .sum = 6, .weight = 4},
                                    {.layer = "loss", .name = "accuracy", .sum = 1, .weight = 4},
                                    {.layer = "other", .name = "loss", .sum = 8, .weight = 2}});
const RowHead kHead = {.phase = "train", .step = 7, .group = 2, .bad_records = 3};

std::vector<std::string> Names(const MetricsRow& row) {
  std::vector<std::string> names;
  for (const auto& [name, value] : row.values) names.push_back(name);
  return names;
}

TEST(JobRows, EachLayerHasARowWithItsMetrics) {
  const MetricsRows rows = LayerRows(kTwoLayers);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].layer, "loss");
  EXPECT_EQ(rows[0].metrics, (Values{{"loss", 1.5}, {"accuracy", 0.25}}));
  EXPECT_EQ(rows[1].layer, "other");
  EXPECT_EQ(rows[1].metrics, (Values{{"loss", 4}}));
}

TEST(JobRows, ANetWithoutMetricsHasARowWithoutALayer) {
  const MetricsRows rows = LayerRows(MetricSums());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].layer, "");
  EXPECT_TRUE(rows[0].metrics.empty());
}

TEST(JobRows, AMetricThatNothingWasAddedToIsNotANumber) {
  const MetricsRows rows = LayerRows(Sums({{.layer = "loss", .name = "loss"}}));
  EXPECT_TRUE(std::isnan(rows.at(0).metrics.at(0).second));
}

TEST(JobRows, AllRowsOfAMomentHaveItsHead) {
  const MetricsRows rows = LayerRows(kHead, kTwoLayers, nullptr);
  ASSERT_EQ(rows.size(), 2u);
  for (const MetricsRow& row : rows) {
    EXPECT_EQ(row.phase, "train");
    EXPECT_EQ(row.step, 7);
    EXPECT_EQ(row.group, 2);
    EXPECT_EQ(row.bad_records, 3);
    EXPECT_TRUE(row.values.empty());
  }
}

TEST(JobRows, ATrainingRowHasTheValuesThatAreKnown) {
  StepStats stats = {.samples_per_second = 100, .step_ms = 2, .lr = 0.5};
  const std::vector<std::string> always = {"samples_per_second", "step_ms", "data_wait_ms",
                                           "bytes_sent", "lr"};
  MetricsRow row = LayerRows(kHead, kTwoLayers, &stats)[1];
  EXPECT_EQ(Names(row), always);
  EXPECT_EQ(*row.Find("step_ms"), 2);
  EXPECT_EQ(*row.Find("lr"), 0.5);
  stats.epoch = 3.5;
  stats.grad_norm = 0;
  row = LayerRows(kHead, kTwoLayers, &stats)[1];
  EXPECT_EQ(*row.Find("epoch"), 3.5);
  EXPECT_EQ(*row.Find("grad_norm"), 0);
}

TEST(JobRows, MemoryIsInRowsWhereItIsKnown) {
  StepStats stats;
  EXPECT_EQ(LayerRows(kHead, kTwoLayers, &stats)[0].Find("memory_mb"), nullptr);
  stats.memory_mb = 30;
  stats.predicted_memory_mb = 25;
  const MetricsRow row = LayerRows(kHead, kTwoLayers, &stats)[0];
  EXPECT_EQ(*row.Find("memory_mb"), 30);
  EXPECT_EQ(*row.Find("predicted_memory_mb"), 25);
}

TEST(JobRows, StalenessIsThatOfTheUpdatesThatWereCounted) {
  StepStats stats;
  MetricsRow row = LayerRows(kHead, kTwoLayers, &stats)[0];
  EXPECT_EQ(row.Find("staleness_mean"), nullptr);
  EXPECT_TRUE(row.staleness.empty());
  for (const int64_t staleness : {0, 0, 1, 3}) stats.staleness.Count(staleness);
  row = LayerRows(kHead, kTwoLayers, &stats)[0];
  EXPECT_EQ(*row.Find("staleness_mean"), 1);
  EXPECT_EQ(*row.Find("staleness_max"), 3);
  EXPECT_EQ(row.staleness, (std::vector<int64_t>{2, 1, 0, 1}));
}

TEST(JobRows, CountsTheBadRecordsOfAllInputLayers) {
  TestNet test(R"(
    layer { name: "a" type: kRecordInput store_conf { backend: "synthetic" batchsize: 2
            shape: 3 synthetic_conf { records: 9 } } }
    layer { name: "b" type: kRecordInput store_conf { backend: "synthetic" batchsize: 2
            shape: 3 synthetic_conf { records: 9 } } })");
  NetReaders readers(&test.net);
  EXPECT_EQ(CountBadRecords(readers), 0);
  readers.RestoreBadRecords("a", {1, 5});
  readers.RestoreBadRecords("b", {2});
  EXPECT_EQ(CountBadRecords(readers), 3);
}

class JobRowsOfProcesses : public testing::Test {
 protected:
  JobRowsOfProcesses() { processes_.MeetAll(); }
  static JobProto TwoGroups() {
    JobProto job;
    job.mutable_updater()->set_type(kSGD);
    job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
    job.mutable_cluster()->set_nworker_groups(2);
    return job;
  }
  // Returns the host that rank 0 names for a row with these values; "": none.
  std::string HostOf(const std::string& phase, const Values& values) {
    MetricsRow row;
    row.phase = phase;
    row.values = values;
    NameProcess(&processes_[0], &row);
    EXPECT_EQ(row.host.empty(), row.pid == 0);
    return row.host;
  }

  ThreadedJob processes_{TwoGroups()};
};

TEST_F(JobRowsOfProcesses, EachProcessHasARowWithItsShareOfTheTime) {
  const ProcessShare share = {
      .workers = 1, .rows = 4, .step_ms = 10, .sync_wait_ms = 2, .data_wait_ms = 1};
  const MetricsRows rows = ProcessRows(kHead, {share, share}, 0, &processes_[0]);
  ASSERT_EQ(rows.size(), 2u);
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(rows[rank].phase, "process");
    EXPECT_EQ(rows[rank].step, 7);
    EXPECT_EQ(rows[rank].group, 2);
    EXPECT_EQ(*rows[rank].Find("rank"), rank);
    EXPECT_EQ(*rows[rank].Find("compute_ms"), 7);
    EXPECT_NE(rows[rank].host, "");
    EXPECT_EQ(rows[rank].pid, ::getpid());  // processes are threads here
  }
}

TEST_F(JobRowsOfProcesses, OfALaterGroupBeginWithItsFirstRank) {
  const MetricsRows rows = ProcessRows(kHead, {ProcessShare()}, 1, &processes_[0]);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(*rows[0].Find("rank"), 1);
}

// A peer may send any row.
TEST_F(JobRowsOfProcesses, ARankThatTheJobDoesNotHaveNamesNoHost) {
  EXPECT_NE(HostOf("process", {{"step_ms", 3}, {"rank", 1}}), "");
  for (const double rank : {-1., 0.5, 2., 1e300, std::nan("")})
    EXPECT_EQ(HostOf("process", {{"rank", rank}}), "") << rank;
  EXPECT_EQ(HostOf("process", {{"step_ms", 1}}), "");
  EXPECT_EQ(HostOf("train", {{"rank", 1}}), "");
}

}  // namespace
}  // namespace singa::job_rows
