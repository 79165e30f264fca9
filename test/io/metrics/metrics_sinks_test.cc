// Tests which sinks get the rows of a job.
#include "io/metrics/metrics_sinks.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "io/temp_dir.h"

namespace singa {
namespace {

// NotedSink notes each call as one word.
class NotedSink final : public MetricsSink {
 public:
  explicit NotedSink(std::string name, std::vector<std::string>* calls)
      : name_(std::move(name)), calls_(*calls) {}
  void Write(const MetricsRows& rows) override { calls_.push_back(StrCat(name_, rows.size())); }
  void Sync() override { calls_.push_back(name_ + "sync"); }
  void RequireRoom() override { throw std::runtime_error(name_ + "full"); }

 private:
  const std::string name_;
  std::vector<std::string>& calls_;
};

class MetricsSinksTest : public ::testing::Test {
 protected:
  MetricsSinks Open(std::vector<MetricsSink*> others) {
    return MetricsSinks({&files_, folder_.path()}, std::move(others));
  }

  TempDir folder_;
  PosixFileSystem files_;
  std::vector<std::string> calls_;
  NotedSink a_{"a", &calls_}, b_{"b", &calls_};
};

TEST_F(MetricsSinksTest, RowsOfAMomentGoToEachSinkTogether) {
  MetricsSinks sinks = Open({&a_, &b_});
  sinks.Write({{.phase = "train"}, {.phase = "process"}});
  sinks.Sync();
  EXPECT_EQ(calls_, (std::vector<std::string>{"a2", "b2", "async", "bsync"}));
}

TEST_F(MetricsSinksTest, TheWorkspaceKeepsThemInEachFormat) {
  EXPECT_TRUE(MetricsFormats().Has("jsonl"));
  MetricsSinks sinks = Open({});
  sinks.Write({{.phase = "train", .step = 3}});
  sinks.Sync();
  EXPECT_NE(TempDir::Read(folder_.Path("metrics.jsonl")).find(R"("step":3)"), std::string::npos);
}

TEST_F(MetricsSinksTest, ASinkWithoutRoomThrows) {
  EXPECT_NO_THROW(Open({}).RequireRoom());
  EXPECT_THROW(Open({&a_}).RequireRoom(), std::runtime_error);
}

TEST(MetricsRow, HasValuesByName) {
  const MetricsRow row = {.phase = "train", .metrics = {{"loss", 1}}, .values = {{"lr", 0.5}}};
  ASSERT_NE(row.Find("lr"), nullptr);
  EXPECT_EQ(*row.Find("lr"), 0.5);
  EXPECT_EQ(row.Find("loss"), nullptr);  // a metric of a layer
}

}  // namespace
}  // namespace singa
