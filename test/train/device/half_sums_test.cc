// Tests sums of gradients that travel between GPUs as float16.
#include "train/device/half_sums.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "support/comm/sent_floats.h"
#include "support/gpu_members.h"

namespace singa {
namespace {

using Floats = std::vector<float>;

class HalfSumsTest : public GpuMembersTest {
 protected:
  // Returns the sum that each member has of `terms`, by member. Two pieces of the floats are added
  // up one after the other, the second one first.
  std::vector<Floats> Sums(const std::vector<Floats>& terms,
                           const std::vector<HalfSums::Run>& slices, int64_t cut) {
    std::vector<Floats> found(terms.size());
    RunAll(static_cast<int>(terms.size()), [&](MemberOfGpus& me) {
      Tensor values = me.On(terms[me.number()]);
      HalfSums sums(me.group.get(), me.member, me.ctx, me.transfers.get(), &values, slices, 0,
                    [] {});
      sums.AddPiece(cut, values.size());
      if (cut > 0) sums.AddPiece(0, cut);
      sums.Allocate();
      for (size_t piece = 0; piece < (cut > 0 ? 2 : 1); ++piece) {
        me.transfers->Await(*me.stream->Record());
        sums.AddUp(piece);
      }
      me.stream->Await(*me.transfers->Record());
      found[me.number()] = me.Read(values);
    });
    return found;
  }
};
SINGA_TEST_ON_ALL_GPUS(HalfSumsTest);

// float16 has these numbers, and their sums.
TEST_P(HalfSumsTest, OfSmallWholeNumbersAreExactInAllMembers) {
  for (const int members : {1, 2, 3, 5}) {
    const std::vector<Floats> terms = [&] {
      std::vector<Floats> all;
      for (int m = 0; m < members; ++m)
        for (all.emplace_back(); all.back().size() < 300;)
          all.back().push_back(static_cast<float>(all.back().size() % 17 + m));
      return all;
    }();
    Floats expected(300, 0);
    for (const Floats& one : terms)
      for (int i = 0; i < 300; ++i) expected[i] += one[i];
    for (const int64_t cut : {0, 65})
      for (const Floats& sum : Sums(terms, {{0, 1}, {1, 64}, {65, 200}, {265, 35}}, cut))
        EXPECT_TRUE(IsSkipped() || sum == expected) << members << " members, cut at " << cut;
  }
}

TEST_P(HalfSumsTest, AreTheSameInAllMembersAndNearTheSum) {
  const std::vector<Floats> terms = {Gaussian(500, 1), Gaussian(500, 2), Gaussian(500, 3)};
  const auto found = Sums(terms, {{0, 100}, {100, 400}}, 100);
  if (IsSkipped()) return;
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
  for (int i = 0; i < 500; ++i)  // each term and the sum are rounded to 11 bits
    EXPECT_NEAR(found[0][i], terms[0][i] + terms[1][i] + terms[2][i], 4 * 0.01f) << i;
}

TEST_P(HalfSumsTest, LeaveFloatsBetweenTheSlicesAlone) {
  const auto found = Sums({Floats(10, 1), Floats(10, 2)}, {{0, 3}, {6, 4}}, 0);
  if (IsSkipped()) return;
  EXPECT_EQ(found[0], (Floats{3, 3, 3, 1, 1, 1, 3, 3, 3, 3}));
}

}  // namespace
}  // namespace singa
