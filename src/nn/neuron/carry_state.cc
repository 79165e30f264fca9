#include "nn/neuron/carry_state.h"

#include <bit>
#include <cstring>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"

namespace singa {
namespace {

// An infinity or NaN has all bits of the exponent set.
SINGA_CPU_CLONES bool RowFinite(const float* __restrict x, int64_t d) {
  constexpr uint32_t kExponent = 0x7F800000;
  uint32_t bad = 0;
  for (int64_t j = 0; j < d; ++j)
    bad |= (std::bit_cast<uint32_t>(x[j]) & kExponent) == kExponent ? 1u : 0u;
  return bad == 0;
}

void KeepRow(const float* x, float* carried, int64_t d, bool finite) {
  if (finite)
    std::memcpy(carried, x, d * sizeof(float));
  else
    std::memset(carried, 0, d * sizeof(float));
}

void Carry(Context& ctx, const float* h, const float* c, float* carried_h, float* carried_c,
           int64_t rows, int64_t d) {
  ParallelSlices(ctx, rows * d, d, [=](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += d) {
      const bool finite = RowFinite(h + at, d) && (!c || RowFinite(c + at, d));
      KeepRow(h + at, carried_h + at, d, finite);
      if (c) KeepRow(c + at, carried_c + at, d, finite);
    }
  });
}

[[maybe_unused]] const bool registered = CarryState.Set(Device::kCpu, Carry);

}  // namespace
}  // namespace singa
