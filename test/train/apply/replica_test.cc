// Tests that updates of values that worker groups share equal updates of separate values, bit for
// bit.
#include "train/apply/replica.h"

#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "singa/base/philox.h"

namespace singa {
namespace {

JobProto JobOfGroups(int groups, const std::string& user_type = "") {
  JobProto job;
  job.mutable_cluster()->set_nworker_groups(groups);
  UpdaterProto& updater = *job.mutable_updater();
  updater.set_type(kAdam);  // its step depends on the updates that a slice has had
  if (!user_type.empty()) updater.set_user_type(user_type);
  updater.set_weight_decay(0.01f);
  updater.mutable_learning_rate()->set_type(kFixed);
  updater.mutable_learning_rate()->set_base_lr(0.1f);
  return job;
}

std::vector<float> UniformNumbers(uint32_t step, int64_t n) {
  const Philox random{1, HashName("w"), step};
  std::vector<float> numbers;
  for (int64_t i = 0; i < n; ++i)
    numbers.push_back(2 * random.Uniform(static_cast<uint64_t>(i)) - 1);
  return numbers;
}

// Returns a param and its states after three updates.
std::vector<std::vector<float>> Updated(int groups, const Shape& shape) {
  Param param("w", "fc", "", ParamProto(), shape);
  param.data = Tensor::Allocate(shape);
  const std::vector<float> first = UniformNumbers(0, shape.size());
  std::copy(first.begin(), first.end(), param.data.data());
  const SliceTable table({shape});
  Replica replica(JobOfGroups(groups));
  replica.Attach(table, {&param});
  Context ctx;
  for (uint32_t step = 1; step <= 3; ++step) {
    const std::vector<float> gradient = UniformNumbers(step, shape.size());
    for (int s = 0; s < table.size(); ++s)
      replica.Apply(ctx, s, step, gradient.data() + table[s].begin);
  }
  EXPECT_EQ(replica.count(0), 3);
  std::vector<std::vector<float>> floats;
  for (int s = 0; s < table.size(); ++s) floats.push_back(replica.Floats(s));
  return floats;
}

TEST(Replica, SharedValuesGetTheUpdatesOfOnesOwn) {
  const Shape large = {1000, 1001};  // a slice is several blocks, and a rest
  ASSERT_GT(SliceTable({large})[0].size, 3 * 4096);
  EXPECT_EQ(Updated(3, large), Updated(1, large));
  EXPECT_NE(Updated(1, large)[0], Updated(1, {1000, 1002})[0]);
}

TEST(Replica, HandsOutAllFloatsAndTakesThemBack) {
  const Shape shape = {3, 4}, more = {5};
  Param first("w", "fc", "", ParamProto(), shape), second("b", "fc", "", ParamProto(), more);
  first.data = Tensor::Allocate(shape);
  second.data = Tensor::Allocate(more);
  Replica replica(JobOfGroups(1));
  replica.Attach(SliceTable(std::vector<Shape>{shape, more}), {&first, &second});
  const auto copies = static_cast<int64_t>(1 + replica.state_count());
  const std::vector<float> floats = UniformNumbers(0, copies * 17);
  replica.SetAllFloats(floats);
  EXPECT_EQ(replica.AllFloats(), floats);
  EXPECT_EQ(replica.Floats(1), std::vector<float>(floats.end() - copies * 5, floats.end()));
  EXPECT_EQ(replica.count(0), 0) << "the counts stay";
}

class NineStates final : public Updater {
 public:
  std::vector<std::string> states() const override {
    return {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  }
  void Update(Context&, const UpdateStep&, float*, const float*, std::span<float* const>,
              int64_t) override {}
};
SINGA_REGISTER_UPDATER(NineStates, NineStates);

TEST(Replica, AnUpdaterOfTooManyStatesIsRefused) {
  try {
    Replica replica(JobOfGroups(1, "NineStates"));
    FAIL() << "taken";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "updater.user_type: may have at most 8 states, has 9");
  }
}

}  // namespace
}  // namespace singa
