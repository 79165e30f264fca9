// Tests sums of gradients that some workers of a group of GPUs compute.
#include "train/device/part_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "support/gpu_members.h"

namespace singa {
namespace {

using Floats = std::vector<float>;

class PartSumsTest : public GpuMembersTest {
 protected:
  // Runs members whose gradient is 10 to the power of their number. Returns each one's sum.
  std::vector<Floats> Sums(int members, const std::function<Contributors(int)>& by) {
    std::vector<Floats> found(members);
    RunAll(members, [&](MemberOfGpus& me) {
      const std::vector<float> own(3, static_cast<float>(std::pow(10, me.number())));
      Tensor gradient = me.On(own);
      PartSums sums(me.group.get(), me.member, &me.ctx, me.transfers.get(),
                    {{gradient.data(), 3, by(me.number())}});
      sums.Add();
      found[me.number()] = me.Read(gradient);
    });
    return found;
  }
};
SINGA_TEST_ON_ALL_GPUS(PartSumsTest);

TEST_P(PartSumsTest, EachPartIsAddedUpByItsWorkers) {
  const auto found = Sums(4, [](int worker) { return Contributors{worker % 2, 2, 2}; });
  if (IsSkipped()) return;
  for (int worker = 0; worker < 4; ++worker)
    EXPECT_EQ(found[worker], Floats(3, worker % 2 == 0 ? 101 : 1010)) << worker;
}

TEST_P(PartSumsTest, WorkersThatComputeTheSameUseTheFirstOnes) {
  for (const Floats& gradient : Sums(3, [](int) { return Contributors{0, 1, 1}; }))
    EXPECT_TRUE(IsSkipped() || gradient == Floats(3, 1));
}

TEST_P(PartSumsTest, AWorkerThatAloneHasItsPartSendsNothing) {
  const auto found = Sums(2, [](int worker) { return Contributors{worker, 2, 1}; });
  if (IsSkipped()) return;
  EXPECT_EQ(found[0], Floats(3, 1));
  EXPECT_EQ(found[1], Floats(3, 10));
}

// ((0 + 1) + (2 + 3)) + 4 with numbers that other orders round to other sums.
TEST_P(PartSumsTest, TheTreeSaysTheOrder) {
  const Floats terms = {1e8f, -1e8f, 1, 1e8f, -1e8f};
  RunAll(5, [&](MemberOfGpus& me) {
    Tensor gradient = me.On({terms[me.number()]});
    PartSums sums(me.group.get(), me.member, &me.ctx, me.transfers.get(),
                  {{gradient.data(), 1, {0, 1, 5}}});
    sums.Add();
    EXPECT_EQ(me.Read(gradient), Floats({((1e8f - 1e8f) + (1 + 1e8f)) + -1e8f}));
  });
}

}  // namespace
}  // namespace singa
