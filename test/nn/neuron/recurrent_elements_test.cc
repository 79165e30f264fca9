// Compares recurrent cells of a device's threads, run on the host, with the plain kernels. Both
// share their formulas.
#include "nn/neuron/recurrent_elements.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "support/elements.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

// CellNumbers are the numbers of a step of 5 rows of 7 units, in up to 4 blocks, with a NaN and
// infinities.
struct CellNumbers {
  static constexpr int64_t kRows = 5, kHidden = 7, kState = kRows * kHidden, kAll = 4 * kState;
  std::vector<float> from_state = RandomValues("u", kAll), bias = RandomValues("b", 4 * kHidden),
                     kept = RandomValues("k", kAll), h_before = RandomValues("h", kState),
                     c_before = RandomValues("c", kState), dy = RandomValues("dy", kState),
                     h = RandomValues("0", kState), c = RandomValues("1", kState),
                     dh = RandomValues("2", kState), dc = RandomValues("3", kState);

  CellNumbers() {
    kept[3] = std::numeric_limits<float>::quiet_NaN();
    from_state[8] = std::numeric_limits<float>::infinity();
    from_state[17] = -std::numeric_limits<float>::infinity();
  }
  CellStep step() {
    return {.rows = kRows,
            .hidden = kHidden,
            .from_state = from_state.data(),
            .bias = bias.data(),
            .kept = kept.data(),
            .h_before = h_before.data(),
            .c_before = c_before.data(),
            .h = h.data(),
            .c = c.data()};
  }
  CellGradient gradient() {
    return {.rows = kRows,
            .hidden = kHidden,
            .kept = kept.data(),
            .h_before = h_before.data(),
            .c_before = c_before.data(),
            .c = c.data(),
            .dy = dy.data(),
            .dh = dh.data(),
            .dc = dc.data()};
  }
  void ExpectSame(const CellNumbers& want) const {
    for (const auto vector :
         {&CellNumbers::kept, &CellNumbers::h, &CellNumbers::c, &CellNumbers::dh, &CellNumbers::dc})
      for (size_t i = 0; i < (this->*vector).size(); ++i) {
        const float a = (this->*vector)[i], b = (want.*vector)[i];
        EXPECT_TRUE(a == b || (a != a && b != b)) << i << ": " << a << ", " << b;
      }
  }
};

template <typename UnitOf>
void ExpectCellIs(const CellStepKernel& step, const CellGradientKernel& gradient) {
  Context ctx;
  ctx.plain = true;
  CellNumbers got, want;
  step(ctx, want.step());
  RunElements(CellNumbers::kState, CellUnit<UnitOf, CellStep>{got.step()});
  got.ExpectSame(want);
  gradient(ctx, want.gradient());
  RunElements(CellNumbers::kState, CellUnit<UnitOf, CellGradient>{got.gradient()});
  got.ExpectSame(want);
}

TEST(RecurrentElementsTest, GruIsThePlainKernels) {
  ExpectCellIs<GruCell>(GruStep, GruStepGradient);
}
TEST(RecurrentElementsTest, LstmIsThePlainKernels) {
  ExpectCellIs<LstmCell>(LstmStep, LstmStepGradient);
}
TEST(RecurrentElementsTest, RnnIsThePlainKernels) {
  ExpectCellIs<RnnCell>(RnnStep, RnnStepGradient);
}

TEST(RecurrentElementsTest, CarriesRowsThatAreFinite) {
  Context ctx;
  for (int64_t d : {1, 31, 100}) {
    const int64_t rows = 6;
    std::vector<float> h = RandomValues("h", rows * d), c = RandomValues("c", rows * d);
    h[d] = std::numeric_limits<float>::quiet_NaN();              // row 1, first
    c[3 * d + d - 1] = std::numeric_limits<float>::infinity();   // row 3, last
    h[5 * d + d / 2] = -std::numeric_limits<float>::infinity();  // row 5
    for (const float* with_c : {std::as_const(c).data(), static_cast<const float*>(nullptr)}) {
      std::vector<float> want_h(rows * d, 9), want_c(rows * d, 9), got_h(rows * d, 9),
          got_c(rows * d, 9);
      float *const want = with_c ? want_c.data() : nullptr, *const got =
                                                                with_c ? got_c.data() : nullptr;
      CarryState(ctx, h.data(), with_c, want_h.data(), want, rows, d);
      RunBlocks(rows, 64,
                [row = CarryRow{h.data(), with_c, got_h.data(), got, d}](
                    const HostBlock& block, int64_t r) { row(block, r); });
      EXPECT_EQ(got_h, want_h);
      EXPECT_EQ(got_c, want_c);
    }
  }
}

}  // namespace
}  // namespace singa
