// Tests sums of gradients of which GPUs send the largest floats.
#include "train/device/sparse_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "math/reduction/sum_tree.h"
#include "support/comm/sent_floats.h"
#include "support/gpu_members.h"

namespace singa {
namespace {

using Floats = std::vector<float>;

class SparseSumsTest : public GpuMembersTest {
 protected:
  // The numbers that one member has after a step.
  struct Found {
    Floats sum, rest, bad_losses;
  };

  // Runs a step of members with these gradients, as two slices, and one loss.
  std::vector<Found> Step(const std::vector<Floats>& gradients, const AllReduceProto& conf,
                          float clip_norm = 0, const Floats& bad_losses = {}) {
    std::vector<Found> found(gradients.size());
    RunAll(static_cast<int>(gradients.size()), [&](MemberOfGpus& me) {
      const auto n = std::ssize(gradients[me.number()]);
      Tensor values = me.On(gradients[me.number()]), rest = me.On(Floats(n));
      Tensor bad = me.On({bad_losses.empty() ? 0 : bad_losses[me.number()]});
      const StepState none;
      Tensor state = me.memory.Allocate({static_cast<int64_t>(sizeof none)}, DType::kU8);
      me.memory.Write(&none, &state);
      me.ctx.device_state = state.as<StepState>();
      const SparseSums::Setup setup = {
          .member = me.InGroup(), .momentum = 0, .clip_norm = clip_norm};
      SparseSlice first = {}, second = {};
      first.floats = values.data();
      first.rest = rest.data();
      first.n = n / 3;
      second.floats = values.data() + first.n;
      second.rest = rest.data() + first.n;
      second.n = n - first.n;
      SparseSums sums(setup, conf, {first, second}, 1, step_);
      sums.AddUp(bad.data());
      found[me.number()] = {me.Read(values), me.Read(rest), me.Read(bad)};
    });
    return found;
  }
  int64_t step_ = 0;

  static AllReduceProto TopK(float sparsity) {
    AllReduceProto conf;
    conf.set_compression(AllReduceProto::kTopK);
    conf.set_sparsity(sparsity);
    return conf;
  }
  static AllReduceProto Threshold(float threshold, float sparsity) {
    AllReduceProto conf = TopK(sparsity);
    conf.set_compression(AllReduceProto::kThreshold);
    conf.set_threshold(threshold);
    return conf;
  }
  // In the order of whole gradients on emulated GPUs. NCCL may have another one.
  static Floats SumOf(const std::vector<Floats>& terms) {
    Floats sum(terms[0].size());
    AddUpWorkers(
        SumNode{0, static_cast<int>(terms.size())}, [&](int m) { return terms[m].data(); },
        std::ssize(sum), sum.data());
    return sum;
  }
};
SINGA_TEST_ON_ALL_GPUS(SparseSumsTest);

TEST_P(SparseSumsTest, OfAllFloatsAreTheWholeSum) {
  for (const int members : {1, 2, 3, 5}) {
    std::vector<Floats> gradients;
    for (int m = 0; m < members; ++m) gradients.push_back(Gaussian(101, m));
    for (const AllReduceProto& conf : {TopK(1), Threshold(1e-30f, 1), Threshold(0, 0.05f)})
      for (const Found& found : Step(gradients, conf)) {
        if (IsSkipped()) return;
        EXPECT_EQ(found.sum, SumOf(gradients)) << members;
        EXPECT_EQ(found.rest, Floats(101));
      }
  }
}

TEST_P(SparseSumsTest, AndTheRestsAreTheGradients) {
  const std::vector<Floats> gradients = {Gaussian(300, 1), Gaussian(300, 2)};
  const std::vector<Found> found = Step(gradients, TopK(0.1f));
  if (IsSkipped()) return;
  EXPECT_EQ(found[0].sum, found[1].sum);
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(found[0].sum[i],
              (gradients[0][i] - found[0].rest[i]) + (gradients[1][i] - found[1].rest[i]))
        << i;
  for (const Found& one : found) EXPECT_EQ(std::ranges::count(one.rest, 0.f), 30);
}

// A threshold that few floats exceed in a slice that travels whole.
TEST_P(SparseSumsTest, OfWholeSlicesLeaveOutWhatIsNotSent) {
  const std::vector<Floats> gradients = {Gaussian(300, 3), Gaussian(300, 4)};
  const std::vector<Found> found = Step(gradients, Threshold(1, 0.5f));
  if (IsSkipped()) return;
  for (int m = 0; m < 2; ++m)
    for (int i = 0; i < 300; ++i)
      EXPECT_EQ(found[m].rest[i], std::abs(gradients[m][i]) < 1 ? gradients[m][i] : 0) << i;
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(found[1].sum[i],
              (gradients[0][i] - found[0].rest[i]) + (gradients[1][i] - found[1].rest[i]))
        << i;
}

TEST_P(SparseSumsTest, SendMoreInTheWarmUp) {
  AllReduceProto conf = TopK(0.01f);
  conf.set_warmup_steps(8);
  const std::vector<Floats> gradients = {Gaussian(1200, 5), Gaussian(1200, 6)};
  for (const auto& [step, sent] : std::map<int64_t, int>{
           {0, 300}, {1, 300}, {2, 75}, {4, 20}, {5, 20}, {6, 12}, {8, 12}, {9, 12}}) {
    step_ = step;
    const std::vector<Found> found = Step(gradients, conf);
    if (IsSkipped()) return;
    for (const Found& one : found) EXPECT_EQ(std::ranges::count(one.rest, 0.f), sent) << step;
  }
}

// 100 pairs of 8 bytes of each of two members are as many bytes as 200 floats, sent and received.
TEST(SparseSums, TakeNoMoreBytesThanWholeOnes) {
  AllReduceProto conf;
  conf.set_compression(AllReduceProto::kTopK);
  const SliceTable table(std::vector<Shape>{{202}});
  const auto bytes = [&](float sparsity, int members) {
    conf.set_sparsity(sparsity);
    return SparseSums::Bytes(conf, table, members);
  };
  EXPECT_EQ(bytes(0.05f, 2), 3 * (1 + 11) * 8);
  EXPECT_EQ(bytes(0.49f, 2), 3 * (1 + 99) * 8);
  EXPECT_EQ(bytes(0.495f, 2), 202 * 4);
  EXPECT_EQ(bytes(0.05f, 20), 202 * 4);
}

TEST_P(SparseSumsTest, AreBoundedByEachMember) {
  const std::vector<Found> found = Step({Floats(100, 3), Floats(100, 0.1f)}, TopK(1), 10);
  if (IsSkipped()) return;
  // The norms are 30 and 1, and the bound of each is 10 / sqrt(2).
  for (const Found& one : found)
    for (const float x : one.sum) EXPECT_NEAR(x, 3 * (10 / std::sqrt(2)) / 30 + 0.1, 1e-6);
}

TEST_P(SparseSumsTest, AreNotANumberInTheSliceThatHasOneAndLeaveTheState) {
  std::vector<Floats> gradients = {Gaussian(90, 1), Gaussian(90, 2)};
  gradients[1][70] = std::nanf("");  // in the second slice
  for (const Found& one : Step(gradients, TopK(0.1f))) {
    if (IsSkipped()) return;
    EXPECT_EQ(Floats(one.sum.begin(), one.sum.begin() + 30), Floats(30));
    for (int i = 30; i < 90; ++i) EXPECT_TRUE(std::isnan(one.sum[i]));
    EXPECT_EQ(one.rest, Floats(90));
  }
}

TEST_P(SparseSumsTest, OfAStepWithABadLossLeaveTheState) {
  for (const Found& one : Step({Gaussian(90, 1), Gaussian(90, 2)}, TopK(0.1f), 0, {0, 1})) {
    if (IsSkipped()) return;
    EXPECT_EQ(one.bad_losses, Floats{1});
    EXPECT_EQ(one.sum, Floats(90));
    EXPECT_EQ(one.rest, Floats(90));
  }
}

}  // namespace
}  // namespace singa
