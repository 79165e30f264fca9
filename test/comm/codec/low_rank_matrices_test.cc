// Tests the kernels of kPowerSGD for matrices in a device's memory against the host's functions.
#include "comm/codec/low_rank_matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "comm/codec/low_rank_matrices_block.h"
#include "support/comm/sent_floats.h"
#include "support/emulated_block.h"

namespace singa::low_rank_matrices {
namespace {

using Floats = std::vector<float>;

constexpr int kThreads = 32;
constexpr LowRankShape kShape = {30, 20, 3};

// A matrix whose gradient is two pieces, and a piece that is sent as it is.
struct Numbers {
  Numbers()
      : m(Gaussian(static_cast<int>(kShape.size()), 1)),
        rest(m.size(), 1),
        p(Gaussian(static_cast<int>(kShape.p_size()), 2)),
        basis(Gaussian(static_cast<int>(kShape.q_size()), 3)),
        renewed(basis.size()),
        q(Gaussian(static_cast<int>(kShape.q_size()), 4)) {
    matrix = {kShape, p.data(), basis.data(), renewed.data(), q.data(), {.seed = 5, .purpose = 6},
              1,      4};
    const int64_t half = kShape.size() / 2;
    pieces = {{m.data(), rest.data(), nullptr, half, 0, 0},
              {m.data() + half, rest.data() + half, nullptr, kShape.size() - half, 0, half},
              {bias.data(), nullptr, sent.data(), 5, -1, 0}};
  }
  Numbers(const Numbers&) = delete;

  LowRankRule Rule() const { return {0.5f, {bad.data(), std::ssize(bad)}, bad.data() + 1, &state}; }

  Floats m, rest, p, basis, renewed, q;
  Floats bias = {1, 2, 3, 4, 5}, sent = Floats(5), bad = Floats(4), overflows = {7};
  StepState state = {.step = 10, .loss_scale = 8};
  LowRankMatrix matrix;
  std::vector<LowRankPiece> pieces;
};

class LowRankMatrices : public ::testing::TestWithParam<bool> {
 protected:
  template <typename Kernel, typename Block, typename... Args>
  void Run(const Kernel& kernel, const Block& block, int64_t count, Args... args) {
    Context ctx;
    if (GetParam())
      RunBlocks(count, kThreads, block);
    else
      kernel(ctx, args...);
  }
  void Load(Numbers* at) {
    Run(LoadLowRank, LoadLowRankPiece{at->pieces.data(), &at->state}, 3, at->pieces.data(), 3,
        &at->state);
  }
  void Renew(Numbers* at) {
    Run(RenewBases, RenewBasis{&at->matrix, &at->state}, 1, &at->matrix, 1, &at->state);
  }
  void Orthonormal(Numbers* at) {
    Run(OrthonormalizeAll, OrthonormalizeOne{&at->matrix}, 1, &at->matrix, 1);
  }
  void Keep(Numbers* at) {
    Run(KeepBases, KeepBasis{&at->matrix, at->Rule(), at->overflows.data()}, 1, &at->matrix, 1,
        at->Rule(), at->overflows.data());
  }
  void Expand(Numbers* at) {
    Run(ExpandLowRank,
        ExpandLowRankPiece{at->pieces.data(), &at->matrix, at->Rule(), at->overflows.data()}, 3,
        at->pieces.data(), 3, &at->matrix, at->Rule(), at->overflows.data());
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, LowRankMatrices, ::testing::Values(false, true),
                         [](const auto& kernel) { return kernel.param ? "blocks" : "plain"; });

TEST_P(LowRankMatrices, AreGradientsWithWhatWasLeftOut) {
  Numbers at;
  const Floats gradient = at.m;
  Load(&at);
  for (size_t i = 0; i < at.m.size(); ++i) EXPECT_EQ(at.m[i], gradient[i] / 8 + 1);
  EXPECT_EQ(at.sent, at.bias) << "with the losses' scale";
  for (LowRankPiece& piece : at.pieces) piece.rest = nullptr;
  at.m = gradient;
  Load(&at);
  for (size_t i = 0; i < at.m.size(); ++i) EXPECT_EQ(at.m[i], gradient[i] / 8);
}

TEST_P(LowRankMatrices, HaveTheHostsNumbersInColumnsOfZeros) {
  Numbers at;
  for (int64_t col = 0; col < kShape.cols; ++col) at.basis[col * 3 + 1] = 0;
  Floats host = at.basis;
  RenewColumns(kShape, {.seed = 5, .purpose = 6, .step = 10 * 4 + 1}, host);
  Renew(&at);
  for (size_t i = 0; i < host.size(); ++i) EXPECT_NEAR(at.renewed[i], host[i], 1e-6) << i;
  EXPECT_EQ(at.basis[1], 0) << "a step that is left out changes no state";
}

TEST_P(LowRankMatrices, HaveOrthonormalColumns) {
  Numbers at;
  for (int64_t row = 0; row < kShape.rows; ++row)
    at.p[row * 3 + 1] = 3 * at.p[row * 3] + 1e-3f * at.p[row * 3 + 1];
  Floats host = at.p;
  Orthonormalize(kShape, host);
  Orthonormal(&at);
  for (size_t i = 0; i < host.size(); ++i) EXPECT_NEAR(at.p[i], host[i], 1e-6) << i;
}

TEST_P(LowRankMatrices, HaveZerosInAColumnThatDependsOnOthers) {
  Numbers at;
  for (int64_t row = 0; row < kShape.rows; ++row)
    at.p[row * 3 + 2] = at.p[row * 3] - 2 * at.p[row * 3 + 1];
  Orthonormal(&at);
  for (int64_t row = 0; row < kShape.rows; ++row) EXPECT_EQ(at.p[row * 3 + 2], 0);
  std::ranges::fill(at.p, 0.f);
  Orthonormal(&at);
  EXPECT_EQ(at.p, Floats(at.p.size())) << "no NaN";
}

TEST_P(LowRankMatrices, KeepTheirBasisForTheNextStep) {
  Numbers at;
  Keep(&at);
  EXPECT_EQ(at.basis, at.q);
  EXPECT_EQ(at.overflows, Floats{0});
  const Floats kept = at.basis;
  at.q[3] = 2;
  at.bad[0] = 1;
  Keep(&at);
  EXPECT_EQ(at.basis, kept) << "a step that is left out changes no state";
}

TEST_P(LowRankMatrices, BeginAnewIfTheirProductsMayOverflow) {
  for (const float large : {1e35f, -1e35f, std::nanf("")})
    for (const bool in_p : {false, true}) {
      Numbers at;
      (in_p ? at.p : at.q).back() = large;
      Keep(&at);
      Expand(&at);
      EXPECT_EQ(at.overflows, Floats{1});
      EXPECT_EQ(at.basis, Floats(at.basis.size()));
      EXPECT_EQ(at.rest, Floats(at.rest.size()));
    }
}

TEST_P(LowRankMatrices, BecomeTheirProductsAndKeepWhatTheseLack) {
  Numbers at;
  Floats product(at.m.size());
  singa::Expand(kShape, at.p, at.q, product);
  const Floats m = at.m;
  at.sent = {5, 4, 3, 2, 1};
  Keep(&at);
  Expand(&at);
  for (size_t i = 0; i < m.size(); ++i) {
    EXPECT_NEAR(at.m[i], 8 * product[i], 1e-5) << i;
    EXPECT_NEAR(at.rest[i], m[i] - 0.5f * product[i], 1e-5) << i;
  }
  EXPECT_EQ(at.bias, at.sent);
}

TEST_P(LowRankMatrices, OfAStepThatIsLeftOutKeepTheirStateAndAreNaNWhereOneWas) {
  Numbers at;
  at.bad[2] = 1;  // of the second piece; the first is of a loss
  Expand(&at);
  EXPECT_EQ(at.rest, Floats(at.rest.size(), 1));
  EXPECT_FALSE(std::isnan(at.m[kShape.size() / 2 - 1]));
  for (int64_t i = kShape.size() / 2; i < kShape.size(); ++i) EXPECT_TRUE(std::isnan(at.m[i]));
}

}  // namespace
}  // namespace singa::low_rank_matrices
