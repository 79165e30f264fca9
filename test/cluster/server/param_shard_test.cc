// Tests the slices that one server owns.
#include "cluster/server/param_shard.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

constexpr char kMomentum[] = "type: kSGD momentum: 0.5 learning_rate { type: kFixed base_lr: 1 }";

// ShardOfTwo owns slices 1 (2 floats) and 2 (1 float) of three.
struct ShardOfTwo {
  explicit ShardOfTwo(const std::string& updater = kMomentum) : job(JobOf(updater, "")) {}

  void Update(int slice, std::vector<float> gradient) {
    shard.Update(&ctx, slice, 0, gradient.data());
  }
  std::vector<float> Values(int slice) {
    const std::span<float> values = shard.values(slice);
    return {values.begin(), values.end()};
  }

  const JobProto job;
  const SliceTable table{{{3}, {2}, {1}}};
  const std::vector<ServedParam> params = {
      {"a", "first", {}}, {"b", "second", {}}, {"c", "third", {.lr = 10, .wd = 1}}};
  const UpdateRule rule{job};
  ParamShard shard{table, params, rule, SliceSet({1, 2})};
  Context ctx;
};

using Floats = std::vector<float>;

TEST(ParamShardTest, NamesASliceByItsParamAndLayer) {
  EXPECT_EQ(ShardOfTwo().shard.Name(2), "slice 2 of param \"c\" of layer \"third\"");
}

TEST(ParamShardTest, KnowsASliceOnceItsFirstValuesHaveCome) {
  ShardOfTwo two;
  two.shard.Put(2, 0, 0, Floats{7});
  EXPECT_FALSE(two.shard.known(1));
  EXPECT_TRUE(two.shard.known(2));
}

TEST(ParamShardTest, FirstValuesBeginWithoutState) {
  ShardOfTwo two;
  two.shard.Put(1, 5, 4, Floats{7, 8});
  EXPECT_EQ(two.shard.State(1), (Floats{7, 8, 0, 0}));
  EXPECT_EQ(two.shard.version(1), 5);
  EXPECT_EQ(two.shard.count(1), 4);
}

TEST(ParamShardTest, AStateIsTheValuesAndTheStatesOfTheUpdater) {
  ShardOfTwo two;
  EXPECT_EQ(two.shard.state_size(1), 4);
  two.shard.Put(1, 0, 0, Floats{7, 8, 1, 2});
  EXPECT_EQ(two.shard.State(1), (Floats{7, 8, 1, 2}));
  EXPECT_EQ(two.Values(1), (Floats{7, 8}));
}

TEST(ParamShardTest, ValuesThatComeAgainHaveNoOldState) {
  ShardOfTwo two;
  two.shard.Put(1, 0, 0, Floats{7, 8, 1, 2});
  two.shard.Put(1, 0, 0, Floats{5, 6});
  EXPECT_EQ(two.shard.State(1), (Floats{5, 6, 0, 0}));
}

// Momentum 0.5 adds half of the first change to the second.
TEST(ParamShardTest, AnUpdateChangesTheValuesAndTheState) {
  ShardOfTwo two;
  two.shard.Put(1, 0, 0, Floats{10, 10});
  two.Update(1, {1, 2});
  EXPECT_EQ(two.Values(1), (Floats{9, 8}));
  two.Update(1, {0, 0});
  EXPECT_EQ(two.Values(1), (Floats{8.5, 7}));
}

TEST(ParamShardTest, AnUpdateScalesTheRateOfItsParam) {
  ShardOfTwo two;
  two.shard.Put(2, 0, 0, Floats{10});
  two.Update(2, {0.25});
  EXPECT_EQ(two.Values(2), Floats{7.5});
}

TEST(ParamShardTest, ADroppedStepIsInTheVersionAlone) {
  ShardOfTwo two;
  two.shard.Put(1, 5, 4, Floats{7, 8});
  two.Update(1, {0, 0});
  two.shard.Drop(1);
  EXPECT_EQ(two.shard.version(1), 7);
  EXPECT_EQ(two.shard.count(1), 5);
  EXPECT_EQ(two.Values(1), (Floats{7, 8}));
}

// Adam's first step is the rate, however small the gradient, and later ones depend on the count.
TEST(ParamShardTest, AnUpdaterHearsHowManyUpdatesASliceHasHad) {
  const auto step_after = [](int64_t count) {
    ShardOfTwo two(
        "type: kAdam adam_conf { beta1: 0.9 beta2: 0.999 } "
        "learning_rate { type: kFixed base_lr: 1 }");
    two.shard.Put(1, count, count, Floats{0, 0});
    two.Update(1, {1, 1});
    return two.Values(1)[0];
  };
  EXPECT_NEAR(step_after(0), -1, 1e-4);
  EXPECT_GT(std::abs(step_after(0) - step_after(9)), 0.1);
}

TEST(ParamShardTest, BoundMemoryHasTheValues) {
  ShardOfTwo two;
  Floats memory = {3, 4};
  two.shard.Bind(1, memory.data());
  two.shard.Put(1, 0, 0, {});
  EXPECT_EQ(two.Values(1), (Floats{3, 4})) << "they are there already";
  two.Update(1, {1, 1});
  EXPECT_EQ(memory, (Floats{2, 3}));
  two.shard.Put(1, 0, 0, Floats{5, 6});
  EXPECT_EQ(memory, (Floats{5, 6}));
}

}  // namespace
}  // namespace singa
