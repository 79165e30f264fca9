// Tests sums of gradients of which GPUs send thin matrices.
#include "train/device/thin_gradients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "comm/codec/low_rank.h"
#include "singa/base/str_cat.h"
#include "support/gpu_members.h"
#include "support/random_values.h"

namespace singa::thin_gradients_test {
namespace {

using Floats = std::vector<float>;

Floats Noise(int64_t n, int number) { return RandomValues(StrCat("noise", number), n); }

constexpr LowRankShape kThin = {40, 30, 2};

// The numbers of kPowerSGD that processes on CPUs have. corrects: with error_feedback.
class OnHost {
 public:
  explicit OnHost(int ranks, bool corrects = true)
      : corrects_(corrects), rests_(ranks, Floats(kThin.size())), basis_(kThin.q_size()) {}
  Floats AddUp(int64_t step, const std::vector<Floats>& gradients) {
    Floats p(kThin.p_size()), q(kThin.q_size()), sum(kThin.size());
    RenewColumns(kThin, RandomOfBasis(9, 0, step), basis_);
    for (size_t rank = 0; rank < rests_.size(); ++rank) {
      if (!corrects_) std::ranges::fill(rests_[rank], 0.f);
      for (size_t i = 0; i < sum.size(); ++i) rests_[rank][i] += gradients[rank][i];
      Floats one(p.size());
      TimesQ(kThin, rests_[rank], basis_, one);
      for (size_t i = 0; i < p.size(); ++i) p[i] += one[i];
    }
    Orthonormalize(kThin, p);
    for (const Floats& rest : rests_) {
      Floats one(q.size());
      TransposedTimesP(kThin, rest, p, one);
      for (size_t i = 0; i < q.size(); ++i) q[i] += one[i];
    }
    basis_ = q;
    Expand(kThin, p, q, sum);
    const float share = 1 / static_cast<float>(rests_.size());
    for (Floats& rest : rests_)
      for (size_t i = 0; i < sum.size(); ++i) rest[i] -= share * sum[i];
    return sum;
  }
  const Floats& rest(int rank) const { return rests_[rank]; }
  const Floats& basis() const { return basis_; }

 private:
  const bool corrects_;
  std::vector<Floats> rests_;
  Floats basis_;
};

class ThinGradientsTest : public GpuMembersTest {
 protected:
  // The sums of one member in each step, without the losses' scale, and its state in the end.
  struct Found {
    std::vector<Floats> sums;
    Floats bad_losses;  // by step
    Floats state;
  };

  ThinGradientsTest() {
    for (const Shape& shape : {Shape{kThin.rows, kThin.cols}, Shape{7}}) {
      params_.push_back(std::make_unique<Param>("param", "layer", "", ParamProto(), shape));
      trained_.params.push_back(params_.back().get());
    }
    trained_.own = trained_.params;
    trained_.by.resize(2);
    trained_.table = SliceTable({{kThin.rows, kThin.cols}, {7}});
    job_.set_seed(9);
    job_.mutable_cluster()->mutable_all_reduce()->set_compression(AllReduceProto::kPowerSGD);
    job_.mutable_cluster()->mutable_all_reduce()->set_rank(2);
  }

  // Returns gradients of so many steps and members: the matrix, and then the bias.
  static std::vector<std::vector<Floats>> Gradients(int steps, int members) {
    std::vector<std::vector<Floats>> gradients(steps);
    for (int step = 0; step < steps; ++step)
      for (int m = 0; m < members; ++m)
        gradients[step].push_back(Noise(kThin.size() + 7, 10 * step + m));
    return gradients;
  }

  // gradients: as Gradients returns them, without the losses' scale.
  std::vector<Found> Steps(const std::vector<std::vector<Floats>>& gradients) {
    const int members = static_cast<int>(gradients[0].size());
    std::vector<Found> found(members);
    RunAll(members, [&](MemberOfGpus& me) {
      const StepState none;
      Tensor state = me.memory.Allocate({static_cast<int64_t>(sizeof none)}, DType::kU8);
      me.ctx.device_state = state.as<StepState>();
      Floats kept(ThinGradients::kCompression.StateFloats({job_.cluster().all_reduce(), trained_}));
      const GpuSender sender = {.state = &kept};
      ThinGradients thin({job_, trained_, sender, &me.ctx, 1});
      thin.Upload();
      Tensor values = me.On(gradients[0][me.number()]), bad = me.On({0});
      for (int s = 0; s < trained_.table.size(); ++s) {
        const Slice& slice = trained_.table[s];
        thin.Add(s, values.data() + (slice.param == 0 ? 0 : kThin.size()) + slice.begin, {},
                 nullptr);
      }
      for (size_t step = 0; step < gradients.size(); ++step) {
        const StepState now = {.step = static_cast<int64_t>(step), .loss_scale = ScaleOf(step)};
        me.memory.Write(&now, &state);
        me.memory.Write(Times(now.loss_scale, gradients[step][me.number()]).data(), &values);
        const float loss = me.number() == 1 && step == bad_loss_ ? 1 : 0;
        me.memory.Write(&loss, &bad);
        thin.AddUp(me.InGroup(), now.step, bad.data());
        found[me.number()].sums.push_back(Times(1 / now.loss_scale, me.Read(values)));
        found[me.number()].bad_losses.push_back(me.Read(bad)[0]);
      }
      thin.Download();
      found[me.number()].state = kept;
      thin.Drop();
    });
    return found;
  }

  float ScaleOf(size_t step) const { return scales_.empty() ? 1 : scales_[step]; }
  static Floats Times(float factor, Floats floats) {
    for (float& x : floats) x *= factor;
    return floats;
  }
  AllReduceProto& conf() { return *job_.mutable_cluster()->mutable_all_reduce(); }

  Floats scales_;        // of the losses, by step; empty: 1
  size_t bad_loss_ = 9;  // the step in which the second member's loss is not finite
  std::vector<std::unique_ptr<Param>> params_;
  TrainedParams trained_;
  JobProto job_;
};
SINGA_TEST_ON_ALL_GPUS(ThinGradientsTest);

TEST_P(ThinGradientsTest, HaveTheNumbersOfTheHost) {
  for (const bool corrects : {true, false})
    for (const int members : {1, 2, 3}) {
      conf().set_error_feedback(corrects);
      const auto gradients = Gradients(4, members);
      const std::vector<Found> found = Steps(gradients);
      if (IsSkipped()) return;
      OnHost host(members, corrects);
      for (int step = 0; step < 4; ++step) {
        const Floats sum = host.AddUp(step, gradients[step]);
        for (const Found& one : found) {
          EXPECT_EQ(one.sums[step], found[0].sums[step]) << "all members have the same bits";
          for (int64_t i = 0; i < kThin.size(); ++i) EXPECT_NEAR(one.sums[step][i], sum[i], 1e-4);
          for (int64_t i = kThin.size(); i < kThin.size() + 7; ++i) {
            float whole = 0;
            for (const Floats& gradient : gradients[step]) whole += gradient[i];
            EXPECT_NEAR(one.sums[step][i], whole, 1e-5);
          }
        }
      }
      const int64_t rest = corrects ? kThin.size() : 0;
      for (int m = 0; m < members; ++m) {
        ASSERT_EQ(std::ssize(found[m].state), rest + kThin.q_size());
        for (int64_t i = 0; i < rest; ++i) EXPECT_NEAR(found[m].state[i], host.rest(m)[i], 1e-4);
        for (int64_t i = 0; i < kThin.q_size(); ++i)
          EXPECT_NEAR(found[m].state[rest + i], host.basis()[i], 1e-4);
      }
    }
}

// Without error_feedback the sums are those of the step's gradients alone, but for the basis.
TEST_P(ThinGradientsTest, AreOnlyCorrectedWithErrorFeedback) {
  const auto gradients = Gradients(3, 2);
  const auto found = Steps(gradients);
  if (IsSkipped()) return;
  conf().set_error_feedback(false);
  const auto without = Steps(gradients);
  EXPECT_EQ(without[0].sums[0], found[0].sums[0]) << "nothing was left out before";
  EXPECT_NE(without[0].sums[1], found[0].sums[1]);
}

// A scale that is a power of two changes no bits, also if it changes between two steps.
TEST_P(ThinGradientsTest, AndTheirStateDoNotDependOnTheLossesScale) {
  for (const bool corrects : {true, false}) {
    conf().set_error_feedback(corrects);
    const auto gradients = Gradients(3, 2);
    scales_ = {};
    const std::vector<Found> plain = Steps(gradients);
    if (IsSkipped()) return;
    scales_ = {65536, 65536, 32768};
    const std::vector<Found> scaled = Steps(gradients);
    for (int m = 0; m < 2; ++m) {
      EXPECT_EQ(scaled[m].sums, plain[m].sums);
      EXPECT_EQ(scaled[m].state, plain[m].state);
    }
  }
}

TEST_P(ThinGradientsTest, AreNotANumberInTheSliceThatHasOneAndLeaveTheState) {
  for (const bool corrects : {true, false})
    for (const int64_t at : {kThin.size() + 3, int64_t{123}}) {
      conf().set_error_feedback(corrects);
      auto gradients = Gradients(2, 2);
      const std::vector<Found> before = Steps({gradients[0]});
      if (IsSkipped()) return;
      gradients[1][1][at] = std::nanf("");
      const std::vector<Found> found = Steps(gradients);
      const bool of_bias = at >= kThin.size();
      for (int m = 0; m < 2; ++m) {
        EXPECT_EQ(found[m].state, before[m].state);
        for (int64_t i = 0; i < kThin.size() + 7; ++i)
          EXPECT_EQ(std::isnan(found[m].sums[1][i]), (i >= kThin.size()) == of_bias) << i;
      }
    }
}

// The loss scale is too large in step 1: a gradient overflows in float16. The job leaves the step
// out, halves the scale and goes on as if that step had not been.
TEST_P(ThinGradientsTest, GoOnAfterAStepThatOverflows) {
  for (const bool corrects : {true, false}) {
    conf().set_error_feedback(corrects);
    auto gradients = Gradients(3, 2);
    scales_ = {};
    const std::vector<Found> plain = Steps({gradients[0], gradients[2]});
    if (IsSkipped()) return;
    gradients[1][0][77] = std::numeric_limits<float>::infinity();
    scales_ = {1024, 1024, 512};
    const std::vector<Found> found = Steps(gradients);
    for (int m = 0; m < 2; ++m) {
      EXPECT_TRUE(std::isnan(found[m].sums[1][77])) << "all members leave the step out";
      EXPECT_EQ(found[m].sums[2], plain[m].sums[1]);
      EXPECT_EQ(found[m].state, plain[m].state);
    }
  }
}

TEST_P(ThinGradientsTest, OfAStepWithABadLossLeaveTheState) {
  const auto gradients = Gradients(3, 2);
  const std::vector<Found> plain = Steps({gradients[0], gradients[2]});
  if (IsSkipped()) return;
  bad_loss_ = 1;
  const std::vector<Found> found = Steps(gradients);
  for (int m = 0; m < 2; ++m) {
    EXPECT_EQ(found[m].bad_losses, (Floats{0, 1, 0})) << "all members leave the step out";
    EXPECT_EQ(found[m].sums[2], plain[m].sums[1]);
    EXPECT_EQ(found[m].state, plain[m].state);
  }
}

}  // namespace
}  // namespace singa::thin_gradients_test
