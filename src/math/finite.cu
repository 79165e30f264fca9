// Reading x bounds both: 16 bytes at a time.
#include "math/finite.h"
#include "math/sum_block.cuh"
#include "math/sum_elements.h"

namespace singa {
namespace {

void Finite(Context& ctx, const float* x, int64_t n, bool* finite) {
  ForEach(ctx, 1, SetTrue{finite});
  ForEach(ctx, (n + 3) / 4, ClearIfBad{{x, n, AlignedTo<4>(x)}, finite});
}

void Squares(Context& ctx, const float* x, int64_t n, double* sum) {
  SumTerms<1>(ctx, (n + 3) / 4, SquaresTerm{{x, n, AlignedTo<4>(x)}}, StoreSum{sum});
}

[[maybe_unused]] const bool registered =
    AllFiniteKernel.Set(Device::kCuda, Finite) && SumOfSquaresKernel.Set(Device::kCuda, Squares);

}  // namespace
}  // namespace singa
