// Tests updates of values in this process's memory. The updater subtracts gradients unscaled from
// values, which are 10 at first.
#include "train/apply/replica_updates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/thread/stopped.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

JobProto JobOfSums(float clip_norm = 0, bool skips = false) {
  JobProto job;
  job.mutable_updater()->set_type(kSGD);
  job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(1);
  if (clip_norm > 0) job.mutable_updater()->set_clip_norm(clip_norm);
  if (skips) job.set_on_nonfinite(JobProto::kSkip);
  return job;
}

// ReplicaOfTwo has two params of one slice each.
struct ReplicaOfTwo {
  explicit ReplicaOfTwo(const JobProto& job) : replica(job), updates(job, &replica) {
    for (Param* param : {&first, &second}) {
      param->data = Tensor::Allocate(param->shape());
      std::fill_n(param->data.data(), param->size(), 10.f);
    }
    updates.Attach(SliceTable({first.shape(), second.shape()}), {&first, &second});
  }
  void Submit(int slice, int64_t step, std::vector<float> gradient) {
    gradients[slice] = std::move(gradient);
    float* const sum = gradients[slice].data();
    updates.Submit(ctx, slice, step, {&sum, 1});
  }
  // Worker `worker` of `workers` ends the step.
  void Finish(int64_t step, int worker = 0, int workers = 1) {
    const std::vector<float*> sums = {gradients[0].data(), gradients[1].data()};
    updates.Finish(ctx, step, worker, workers, sums);
  }
  static std::vector<float> Values(const Param& param) {
    return {param.data.data(), param.data.data() + param.size()};
  }
  std::string Error() {
    try {
      updates.Check();
    } catch (const DivergedError& error) {
      return error.what();
    }
    return "";
  }

  Param first{"w", "fc", "", ParamProto(), {2}}, second{"b", "fc", "", ParamProto(), {1}};
  std::vector<float> gradients[2] = {{0, 0}, {0}};
  Replica replica;
  ReplicaUpdates updates;
  Context ctx;
};

using Floats = std::vector<float>;

TEST(ReplicaUpdatesTest, ASumIsAppliedAtOnce) {
  ReplicaOfTwo two(JobOfSums());
  EXPECT_FALSE(two.updates.needs_all());
  two.Submit(0, 0, {1, 2});
  EXPECT_EQ(two.Values(two.first), (Floats{9, 8}));
  two.Finish(0);
  EXPECT_EQ(two.Values(two.first), (Floats{9, 8}));
  EXPECT_EQ(two.replica.count_of(0), 1);
}

// No float32 holds the squares.
TEST(ReplicaUpdatesTest, SquaresBeyondFloat32AreBounded) {
  ReplicaOfTwo two(JobOfSums(5));
  two.Submit(0, 0, {3e38f, -3e38f});
  two.Submit(1, 0, {3e38f});
  two.Finish(0);
  const auto step = static_cast<float>(5 / std::sqrt(3));
  EXPECT_NEAR(two.Values(two.first)[0], 10 - step, 1e-5);
  EXPECT_NEAR(two.Values(two.first)[1], 10 + step, 1e-5);
  EXPECT_NEAR(two.Values(two.second)[0], 10 - step, 1e-5);
}

TEST(ReplicaUpdatesTest, AGradientThatIsNotFiniteIsNotApplied) {
  ReplicaOfTwo two(JobOfSums());
  two.Submit(1, 7, {kInfinity});
  EXPECT_EQ(two.Values(two.second), Floats{10});
  EXPECT_EQ(two.Error(), "step 7: the gradient of param \"b\" of layer \"fc\" is not finite");
}

TEST(ReplicaUpdatesTest, TheFirstFailureIsToldOnce) {
  ReplicaOfTwo two(JobOfSums());
  two.Submit(1, 7, {kInfinity});
  two.Submit(0, 7, {1, kInfinity});
  EXPECT_NE(two.Error().find("\"b\""), std::string::npos);
  EXPECT_EQ(two.Error(), "");
}

TEST(ReplicaUpdatesTest, ALossThatIsNotFiniteEndsTheJob) {
  ReplicaOfTwo two(JobOfSums());
  try {
    two.updates.LossNotFinite("softmax", 7, 0);
    FAIL() << "no error";
  } catch (const DivergedError& error) {
    EXPECT_STREQ(error.what(), "step 7: the loss of layer \"softmax\" is not finite");
  }
}

// The gradient has norm 5.
TEST(ReplicaUpdatesTest, ABoundWaitsForTheWholeGradientAndScalesIt) {
  ReplicaOfTwo two(JobOfSums(2.5f));
  EXPECT_TRUE(two.updates.needs_all());
  two.Submit(0, 0, {3, 0});
  two.Submit(1, 0, {4});
  EXPECT_EQ(two.Values(two.first), (Floats{10, 10}));
  two.Finish(0);
  EXPECT_EQ(two.Values(two.first), (Floats{8.5, 10}));
  EXPECT_EQ(two.Values(two.second), Floats{8});
}

TEST(ReplicaUpdatesTest, TheNormIsThatBeforeTheBound) {
  ReplicaOfTwo two(JobOfSums(2.5f));
  two.Submit(0, 0, {3, 0});
  two.Submit(1, 0, {4});
  two.Finish(0);
  EXPECT_EQ(two.updates.GradientNorm(0), 5);
}

TEST(ReplicaUpdatesTest, AGradientBelowTheBoundIsNotScaled) {
  ReplicaOfTwo two(JobOfSums(5.5f));
  two.Submit(0, 0, {3, 0});
  two.Submit(1, 0, {4});
  two.Finish(0);
  EXPECT_EQ(two.Values(two.second), Floats{6});
}

TEST(ReplicaUpdatesTest, EachWorkerAppliesItsShareOfAStep) {
  ReplicaOfTwo two(JobOfSums(100));
  two.Submit(0, 0, {1, 1});
  two.Submit(1, 0, {1});
  two.Finish(0, 1, 2);
  EXPECT_EQ(two.Values(two.first), (Floats{10, 10}));
  EXPECT_EQ(two.Values(two.second), Floats{9});
  two.Finish(0, 0, 2);
  EXPECT_EQ(two.Values(two.first), (Floats{9, 9}));
  EXPECT_EQ(two.replica.count_of(1), 1);
}

TEST(ReplicaUpdatesTest, AStepWithABadGradientIsSkippedWhole) {
  ReplicaOfTwo two(JobOfSums(0, true));
  two.Submit(0, 3, {1, 1});
  two.Submit(1, 3, {kInfinity});
  two.Finish(3);
  EXPECT_EQ(two.Error(), "");
  EXPECT_EQ(two.Values(two.first), (Floats{10, 10}));
  EXPECT_TRUE(two.updates.skipped(3));
  EXPECT_TRUE(std::isnan(two.updates.GradientNorm(3)));
}

TEST(ReplicaUpdatesTest, ASkippedStepCountsOnce) {
  ReplicaOfTwo two(JobOfSums(0, true));
  two.Submit(0, 3, {1, kInfinity});
  two.Submit(1, 3, {kInfinity});
  for (const int worker : {0, 1}) two.Finish(3, worker, 2);
  EXPECT_EQ(two.updates.skips(), 1);
}

TEST(ReplicaUpdatesTest, TheStepAfterASkippedOneIsTaken) {
  ReplicaOfTwo two(JobOfSums(0, true));
  two.updates.LossNotFinite("softmax", 3, 0);
  two.Finish(3);
  two.Submit(0, 4, {1, 1});
  two.Submit(1, 4, {1});
  two.Finish(4);
  EXPECT_EQ(two.Values(two.first), (Floats{9, 9}));
  EXPECT_FALSE(two.updates.skipped(4));
  EXPECT_EQ(two.updates.skips(), 1);
}

// Two processes have replicas of the same group.
TEST(ReplicaUpdatesTest, AnotherProcessHearsThatAStepFailedWithoutItsText) {
  ReplicaOfTwo one(JobOfSums(100)), other(JobOfSums(100));
  std::vector<double> squares(2);
  std::atomic<int64_t> dropped{0}, failed{0};
  for (ReplicaOfTwo* two : {&one, &other}) two->updates.Share({squares, &dropped, &failed});
  one.Submit(0, 3, {1, kInfinity});
  EXPECT_THROW(other.updates.Check(), Stopped);
  EXPECT_THROW(one.updates.Check(), DivergedError);
  EXPECT_THROW(other.updates.Check(), Stopped) << "still";
}

TEST(ReplicaUpdatesTest, ProcessesBoundTheNormOfTheGroupsGradient) {
  ReplicaOfTwo one(JobOfSums(2.5f)), other(JobOfSums(2.5f));
  std::vector<double> squares(2);
  std::atomic<int64_t> dropped{0}, failed{0};
  for (ReplicaOfTwo* two : {&one, &other}) two->updates.Share({squares, &dropped, &failed});
  one.Submit(0, 0, {3, 0});
  other.Submit(1, 0, {4});
  one.Finish(0, 0, 2);
  EXPECT_EQ(one.Values(one.first), (Floats{8.5, 10}));
}

}  // namespace
}  // namespace singa
