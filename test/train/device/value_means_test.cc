// Tests means of values over the GPUs of a group.
#include "train/device/value_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "singa/base/str_cat.h"
#include "support/emulated_block.h"
#include "support/gpu_members.h"
#include "support/random_values.h"
#include "train/device/mean_pieces_block.h"

namespace singa::value_means_test {
namespace {

using Floats = std::vector<float>;

Floats Noise(int64_t n, int number) { return RandomValues(StrCat("noise", number), n); }

constexpr int64_t kSize = 50;

// Two params of kSize floats, each a bucket, with a state each.
class ValueMeansTest : public GpuMembersTest {
 protected:
  // A member has these in the end. floats: [params, values and states]. bad_losses and piece_is_bad
  // are what all members have found.
  struct Found {
    Floats floats, bad_losses;
    bool piece_is_bad = false;
  };

  // Does the steps from `first` on with the members' floats.
  std::vector<Found> Steps(const std::vector<Floats>& members, int64_t first, int steps,
                           bool dropped = false) {
    std::vector<Found> found(members.size());
    RunAll(static_cast<int>(members.size()), [&](MemberOfGpus& me) {
      const StepState none;
      Tensor state = me.memory.Allocate({static_cast<int64_t>(sizeof none)}, DType::kU8);
      me.memory.Write(&none, &state);
      me.ctx.device_state = state.as<StepState>();
      const StepVerdict judged = {.dropped = dropped};
      Tensor verdict = me.memory.Allocate({static_cast<int64_t>(sizeof judged)}, DType::kU8);
      me.memory.Write(&judged, &verdict);
      Tensor floats = me.On(members[me.number()]), gradient = me.On(gradients_[me.number()]);
      Tensor bad = me.On({static_cast<float>(me.number())});
      ValueMeans means({job_, trained_, sender_, &me.ctx, 1});
      for (int s = 0; s < 2; ++s) {
        UpdatePiece piece = {};
        piece.w = floats.data() + 2 * s * kSize;
        piece.states[0] = piece.w + kSize;
        piece.g = gradient.data();
        piece.n = kSize;
        means.Add(s, gradient.data(), piece, nullptr);
      }
      for (int64_t step = first; step < first + steps; ++step) {
        means.AddUp(me.InGroup(), step, bad.data());
        means.Updated(me.InGroup(), step, verdict.as<StepVerdict>());
      }
      StepEvidence evidence = {};
      EXPECT_TRUE(means.AddFindings(&evidence));
      EXPECT_EQ(evidence.factor, std::ssize(members));
      Tensor pieces = me.memory.Allocate({2});
      CopyFloats(me.ctx, evidence.bad_pieces, pieces.data(), 2);
      found[me.number()] = {me.Read(floats), me.Read(bad), me.Read(pieces)[0] != 0};
      means.Drop();
    });
    return found;
  }
  static JobProto BucketsOfOneParam() {
    JobProto job;
    job.mutable_cluster()->mutable_all_reduce()->set_compression(AllReduceProto::kPartial);
    job.mutable_cluster()->mutable_all_reduce()->set_fusion_elements(1);
    return job;
  }

  static TrainedParams TwoParams() {
    TrainedParams trained;
    trained.table = SliceTable(std::vector<Shape>{{kSize}, {kSize}});
    return trained;
  }

  const TrainedParams trained_ = TwoParams();
  const JobProto job_ = BucketsOfOneParam();
  const GpuSender sender_ = {};
  std::vector<Floats> gradients_ = std::vector<Floats>(3, Floats(kSize, 1));
};
SINGA_TEST_ON_ALL_GPUS(ValueMeansTest);

TEST_P(ValueMeansTest, AreOfTheValuesAndStatesOfOneBucketInEachStep) {
  for (int64_t step = 0; step < 3; ++step) {
    const std::vector<Floats> before = {Noise(4 * kSize, 1), Noise(4 * kSize, 2)};
    const std::vector<Found> found = Steps(before, step, 1);
    if (IsSkipped()) return;
    const int64_t averaged = step % 2 == 0 ? 1 : 0;  // the last params come first
    for (int m = 0; m < 2; ++m)
      for (int64_t i = 0; i < 4 * kSize; ++i)
        EXPECT_EQ(found[m].floats[i], i / (2 * kSize) == averaged
                                          ? 0.5f * before[0][i] + 0.5f * before[1][i]
                                          : before[m][i])
            << step << ' ' << i;
  }
}

TEST_P(ValueMeansTest, OfAllBucketsAreTheSameInAllMembers) {
  const std::vector<Found> found =
      Steps({Noise(4 * kSize, 1), Noise(4 * kSize, 2), Noise(4 * kSize, 3)}, 5, 2);
  if (IsSkipped()) return;
  EXPECT_EQ(found[0].floats, found[1].floats);
  EXPECT_EQ(found[0].floats, found[2].floats);
}

TEST_P(ValueMeansTest, OfAStepThatIsLeftOutChangeNothing) {
  const std::vector<Floats> before = {Noise(4 * kSize, 1), Noise(4 * kSize, 2)};
  const std::vector<Found> found = Steps(before, 0, 2, true);
  if (IsSkipped()) return;
  for (int m = 0; m < 2; ++m) EXPECT_EQ(found[m].floats, before[m]);
}

TEST_P(ValueMeansTest, ComeWithWhatAllMembersHaveFound) {
  const std::vector<Floats> floats(2, Floats(4 * kSize));
  for (const bool bad : {false, true}) {
    if (bad) gradients_[1][7] = std::nanf("");
    for (const Found& one : Steps(floats, 0, 1)) {
      if (IsSkipped()) return;
      EXPECT_EQ(one.bad_losses, Floats{1}) << "of the second member";
      EXPECT_EQ(one.piece_is_bad, bad);
    }
  }
}

TEST(MeanPieces, OfBlocksAreThoseOfTheCpu) {
  Floats x = Noise(70, 1), sums(100, 7);
  const Floats before = x;
  const MeanPiece piece = {x.data(), 70, 20};
  RunBlocks(1, 32, TakeShare{&piece, 0.25f, sums.data()});
  Floats host(100, 7);
  Context ctx;
  TakeShares(ctx, &piece, 1, 0.25f, host.data());
  EXPECT_EQ(sums, host);
  StepVerdict verdict = {.dropped = 1};
  RunBlocks(1, 32, SetMean{&piece, &verdict, sums.data()});
  EXPECT_EQ(x, before);
  verdict.dropped = 0;
  RunBlocks(1, 32, SetMean{&piece, &verdict, sums.data()});
  EXPECT_EQ(x, Floats(sums.begin() + 20, sums.begin() + 90));
}

}  // namespace
}  // namespace singa::value_means_test
