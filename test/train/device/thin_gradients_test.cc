// Tests sums of gradients of which GPUs send thin matrices.
#include "train/device/thin_gradients.h"

#include <gtest/gtest.h>

#include <cmath>
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

// The numbers of kPowerSGD that two processes on CPUs have.
class OnHost {
 public:
  explicit OnHost(int ranks) : rests_(ranks, Floats(kThin.size())), basis_(kThin.q_size()) {}
  Floats AddUp(int64_t step, const std::vector<Floats>& gradients) {
    Floats p(kThin.p_size()), q(kThin.q_size()), sum(kThin.size());
    RenewColumns(kThin, RandomOfBasis(9, 0, step), basis_);
    for (size_t rank = 0; rank < rests_.size(); ++rank) {
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
  std::vector<Floats> rests_;
  Floats basis_;
};

class ThinGradientsTest : public GpuMembersTest {
 protected:
  // The sums of one member in each step, and its state in the end.
  struct Found {
    std::vector<Floats> sums;
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

  // gradients: by step and member, the matrix and then the bias.
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
      thin.Bring();
      Tensor values = me.On(gradients[0][me.number()]), bad = me.On({0});
      for (int s = 0; s < trained_.table.size(); ++s) {
        const Slice& slice = trained_.table[s];
        thin.Add(s, values.data() + (slice.param == 0 ? 0 : kThin.size()) + slice.begin, {});
      }
      for (size_t step = 0; step < gradients.size(); ++step) {
        const StepState now = {.step = static_cast<int64_t>(step)};
        me.memory.Write(&now, &state);
        me.memory.Write(gradients[step][me.number()].data(), &values);
        thin.AddUp(me.InGroup(), now.step, bad.data());
        found[me.number()].sums.push_back(me.Read(values));
      }
      thin.Download();
      found[me.number()].state = kept;
      thin.Drop();
    });
    return found;
  }

  std::vector<std::unique_ptr<Param>> params_;
  TrainedParams trained_;
  JobProto job_;
};
SINGA_TEST_ON_ALL_GPUS(ThinGradientsTest);

TEST_P(ThinGradientsTest, HaveTheNumbersOfTheHost) {
  for (const int members : {1, 2, 3}) {
    std::vector<std::vector<Floats>> gradients(4);
    for (int step = 0; step < 4; ++step)
      for (int m = 0; m < members; ++m)
        gradients[step].push_back(Noise(kThin.size() + 7, 10 * step + m));
    const std::vector<Found> found = Steps(gradients);
    if (IsSkipped()) return;
    OnHost host(members);
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
    for (int m = 0; m < members; ++m) {
      for (int64_t i = 0; i < kThin.size(); ++i)
        EXPECT_NEAR(found[m].state[i], host.rest(m)[i], 1e-4);
      for (int64_t i = 0; i < kThin.q_size(); ++i)
        EXPECT_NEAR(found[m].state[kThin.size() + i], host.basis()[i], 1e-4);
    }
  }
}

TEST_P(ThinGradientsTest, AreNotANumberInTheSliceThatHasOneAndLeaveTheState) {
  std::vector<std::vector<Floats>> gradients(2);
  for (int step = 0; step < 2; ++step)
    for (int m = 0; m < 2; ++m) gradients[step].push_back(Noise(kThin.size() + 7, 10 * step + m));
  const std::vector<Found> before = Steps({gradients[0]});
  if (IsSkipped()) return;
  gradients[1][1][kThin.size() + 3] = std::nanf("");  // of the bias
  const std::vector<Found> found = Steps(gradients);
  for (int m = 0; m < 2; ++m) {
    EXPECT_EQ(found[m].state, before[m].state);
    EXPECT_TRUE(std::isnan(found[m].sums[1][kThin.size()]));
  }
}

}  // namespace
}  // namespace singa::thin_gradients_test
