// Tests rows of metrics from another process.
#include "driver/job/remote_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/threaded_job.h"

namespace singa {
namespace {

JobProto TwoGroups() {
  JobProto job;
  job.mutable_updater()->set_type(kSGD);
  job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
  job.mutable_cluster()->set_nworker_groups(2);
  return job;
}

// Rows keeps rows until they are taken.
class Rows final : public GroupEvents {
 public:
  void OnSteps(int, int64_t) override {}
  void OnLeft(int) override {}
  void OnAllowed(int, int64_t) override {}
  void OnReplaced(int, int64_t) override {}
  void OnFailure() override {}
  void OnRow(const ControlMessage::Row& row) override {
    const std::lock_guard lock(mutex_);
    rows_.push_back(RowOf(row));
    changed_.notify_all();
  }
  std::vector<MetricsRow> Take(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(30), [&] { return rows_.size() >= count; });
    return std::exchange(rows_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<MetricsRow> rows_;
};

class RemoteMetricsTest : public ::testing::Test {
 protected:
  RemoteMetricsTest() {
    job_.MeetAll();
    job_[0].peers().Listen(&heard_);
  }
  ~RemoteMetricsTest() override { job_[0].peers().Forget(); }
  void Write() { RemoteMetrics(&job_[1]).Write({row_}); }

  MetricsRow row_{.phase = "train",
                  .step = 5,
                  .group = 1,
                  .layer = "loss",
                  .values = {{"loss", 0.5}, {"accuracy", 0.25}},
                  .staleness = {3, 0, 1},
                  .bad_records = 2};
  Rows heard_;
  ThreadedJob job_{TwoGroups()};
};

TEST_F(RemoteMetricsTest, ArriveAsTheyAre) {
  Write();
  const std::vector<MetricsRow> got = heard_.Take(1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].phase, "train");
  EXPECT_EQ(got[0].step, 5);
  EXPECT_EQ(got[0].group, 1);
  EXPECT_EQ(got[0].layer, "loss");
  EXPECT_EQ(got[0].values, row_.values);
  EXPECT_EQ(got[0].staleness, row_.staleness);
  EXPECT_EQ(got[0].bad_records, 2);
}

TEST_F(RemoteMetricsTest, NamesOfAnyLengthAreCut) {
  row_.layer = std::string(100'000, 'l');
  row_.values[0].first = std::string(100'000, 'v');
  Write();
  const std::vector<MetricsRow> got = heard_.Take(1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].layer, std::string(997, 'l') + "...");
  EXPECT_EQ(got[0].values[0].first, std::string(997, 'v') + "...");
  EXPECT_EQ(got[0].values[1], row_.values[1]);
}

TEST_F(RemoteMetricsTest, ManyValuesComeInSeveralRows) {
  row_.values.clear();
  for (int i = 0; i < 100; ++i) row_.values.emplace_back(std::string(2000, 'v'), i);
  Write();
  std::vector<double> values;
  const std::vector<MetricsRow> got = heard_.Take(4);
  ASSERT_EQ(got.size(), 4u);
  for (const MetricsRow& one : got) {
    EXPECT_EQ(one.layer, "loss");
    EXPECT_EQ(one.staleness.empty(), &one != &got.back());
    for (const auto& [name, value] : one.values) values.push_back(value);
  }
  ASSERT_EQ(values.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[i], i);
}

class KeptRows final : public MetricsSink {
 public:
  void Write(const MetricsRows& written) override {
    rows.insert(rows.end(), written.begin(), written.end());
  }
  MetricsRows rows;
};

// Returns a row that a peer sends about a process of `rank`.
MetricsRow ReceivedOf(JobProcess* process, double rank, const std::string& phase = "process") {
  ControlMessage::Row row;
  row.set_phase(phase);
  row.add_value()->set_name("rank");
  row.mutable_value(0)->set_value(rank);
  ReceivedRows received(process);
  received.Add(row);
  KeptRows kept;
  received.WriteTo(&kept);
  EXPECT_EQ(kept.rows.size(), 1u);
  return kept.rows.at(0);
}

TEST_F(RemoteMetricsTest, SayWhereAProcessRuns) {
  const HostAndPid here = HostAndPid::OfThisProcess();
  for (const int rank : {0, 1}) {
    const MetricsRow row = ReceivedOf(&job_[0], rank);
    EXPECT_EQ(row.host, here.host);
    EXPECT_EQ(row.pid, here.pid);
  }
  EXPECT_EQ(ReceivedOf(&job_[0], 1, "train").host, "");
}

TEST_F(RemoteMetricsTest, OfAProcessThatIsNotThereSayNothing) {
  for (const double rank : {-1., 2., 0.5, 1e300, HUGE_VAL, std::nan("")}) {
    const MetricsRow row = ReceivedOf(&job_[0], rank);
    EXPECT_EQ(row.host, "") << rank;
    EXPECT_EQ(row.pid, 0);
  }
}

}  // namespace
}  // namespace singa
