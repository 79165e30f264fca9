#include "math/reduction/sum.h"

#include "math/reduction/sum_block.cuh"
#include "math/reduction/sum_elements.h"

namespace singa {
namespace {

void Add(Context& ctx, const float* x, double* cell, int64_t n, double weight) {
  SumTerms<1>(ctx, n, NumberTerm{x}, AddSumToCell{cell, weight});
}

[[maybe_unused]] const bool registered = AddSum.Set(Device::kCuda, Add);

}  // namespace
}  // namespace singa
