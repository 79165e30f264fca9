// Tests the search for the best value of a metric.
#include "driver/job/best_metric.h"

#include <gtest/gtest.h>

#include <limits>

#include "io/temp_dir.h"
#include "io/write_tensors.h"

namespace singa::best_metric {
namespace {

JobProto JobOf(const std::string& metric, int patience) {
  JobProto job;
  job.set_checkpoint_best(metric);
  job.set_stop_patience(patience);
  job.set_validate_freq(10);
  return job;
}

MetricSums Sums(const std::string& name, double value) {
  MetricSums sums;
  sums.entries().push_back({"layer", name, value, 1});
  return sums;
}

TEST(BestMetricTest, IsTheLeastLossAndTheLargestAccuracy) {
  BestMetric loss(JobOf("loss", 0)), accuracy(JobOf("accuracy", 0));
  EXPECT_TRUE(loss.Note(Sums("loss", 2), 1));
  EXPECT_TRUE(loss.Note(Sums("loss", 1), 2));
  EXPECT_FALSE(loss.Note(Sums("loss", 1), 3));
  EXPECT_TRUE(accuracy.Note(Sums("accuracy", 0.25), 1));
  EXPECT_FALSE(accuracy.Note(Sums("accuracy", 0.125), 2));
  EXPECT_EQ(loss.step(), 2);
  EXPECT_EQ(accuracy.step(), 1);
}

TEST(BestMetricTest, IsExhaustedAfterSoManyEvaluationsInARow) {
  BestMetric best(JobOf("loss", 2));
  best.Note(Sums("loss", 1), 10);
  best.Note(Sums("loss", 2), 20);
  EXPECT_FALSE(best.exhausted());
  best.Note(Sums("loss", 0.5), 30);
  best.Note(Sums("loss", std::numeric_limits<double>::quiet_NaN()), 40);
  EXPECT_FALSE(best.exhausted());
  best.Note(Sums("loss", 0.5), 50);
  EXPECT_TRUE(best.exhausted());
  EXPECT_EQ(best.Text(), "the loss was not better in 2 validations; the best is 0.5, of step 30");
}

TEST(BestMetricTest, NamesTestsOfAJobWithoutValidations) {
  JobProto job = JobOf("accuracy", 1);
  job.clear_validate_freq();
  job.set_test_freq(10);
  BestMetric best(job);
  best.Note(Sums("accuracy", 0.5), 10);
  best.Note(Sums("accuracy", 0.25), 20);
  EXPECT_TRUE(best.exhausted());
  EXPECT_EQ(best.Text(), "the accuracy was not better in 1 test; the best is 0.5, of step 10");
}

TEST(BestMetricTest, CountsARepeatedEvaluationOnce) {
  BestMetric best(JobOf("loss", 2));
  best.Note(Sums("loss", 1), 10);
  for (int i = 0; i < 3; ++i) best.Note(Sums("loss", 2), 20);
  EXPECT_FALSE(best.exhausted());
}

// Asynchronous groups go on between the evaluation and the checkpoint.
TEST(BestMetricTest, DropsARepeatedEvaluationOfLaterValues) {
  BestMetric best(JobOf("loss", 1));
  best.Note(Sums("loss", 1), 10);
  best.Note(Sums("loss", 2), 20);
  EXPECT_FALSE(best.Note(Sums("loss", 0.5), 20));
  EXPECT_TRUE(best.exhausted());
  EXPECT_EQ(best.step(), 10);
}

TEST(BestMetricTest, NeedsNoNewBestAfterOneThatWasForgotten) {
  BestMetric best(JobOf("loss", 2));
  best.Note(Sums("loss", 2), 10);
  EXPECT_TRUE(best.Note(Sums("loss", 1), 20));
  best.Forget();
  EXPECT_EQ(best.step(), 10);
  EXPECT_TRUE(best.Note(Sums("loss", 1), 20));
  best.Forget();
  EXPECT_TRUE(best.Note(Sums("loss", 1.5), 30));
}

TEST(BestMetricTest, TellsThatAnOlderCheckpointDoesNotNameItsMetric) {
  const TempDir dir;
  const double value = 0.5;
  WriteTensors(dir.Path("state"), {Stored("train/best", Shape(), &value)});
  const SafetensorsFile state{MappedFile(dir.Path("state"))};
  BestMetric best(JobOf("accuracy", 1)), none(JobOf("", 0));
  EXPECT_EQ(none.Restore(state.view()), "");
  EXPECT_EQ(best.Restore(state.view()),
            "the checkpoint does not say whose best value it has: the search for the best accuracy "
            "begins anew");
  EXPECT_TRUE(best.Note(Sums("accuracy", 0.25), 10));
}

TEST(BestMetricTest, NeverEndsATrainingWithoutPatience) {
  BestMetric best(JobOf("loss", 0));
  for (int step = 1; step < 100; ++step) best.Note(Sums("loss", step), step);
  EXPECT_FALSE(best.exhausted());
}

}  // namespace
}  // namespace singa::best_metric
