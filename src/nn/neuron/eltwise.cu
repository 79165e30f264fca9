// CUDA kernels of kEltwise. Memory bounds them, so threads use 16 bytes at a time if the arrays
// allow.
#include "math/elementwise/map.cuh"
#include "nn/neuron/eltwise_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Sum(Context& ctx, const float* a, float a_factor, const float* b, float b_factor, float floor,
         float* y, int64_t n) {
  MapElements(ctx, n, WeightedSumOf{a_factor, b_factor, floor}, y, a, b);
}

void SumGradient(Context& ctx, const float* y, const float* dy, SummandGradient a,
                 SummandGradient b, int64_t n) {
  if (n % 4 == 0 && AlignedTo<4>(y, dy, a.dx, b.dx))
    ForEach(ctx, n / 4, SummandGradients<4>{y, dy, a, b});
  else
    ForEach(ctx, n, SummandGradients<1>{y, dy, a, b});
}

void Larger(Context& ctx, const float* a, const float* b, uint8_t index, float* y, uint8_t* winner,
            int64_t n) {
  if (n % 4 == 0 && AlignedTo<4>(a, b, y, winner))
    ForEach(ctx, n / 4, LargerOfTwo<4>{a, b, index, y, winner});
  else
    ForEach(ctx, n, LargerOfTwo<1>{a, b, index, y, winner});
}

void LargerGradient(Context& ctx, const uint8_t* winner, uint8_t index, const float* dy, float* dx,
                    int64_t n) {
  if (n % 4 == 0 && AlignedTo<4>(winner, dy, dx))
    ForEach(ctx, n / 4, WinnerGradient<4>{winner, index, dy, dx});
  else
    ForEach(ctx, n, WinnerGradient<1>{winner, index, dy, dx});
}

void TimesChannels(Context& ctx, const float* x, const float* scale, float* y, int64_t n,
                   int64_t pixels, int64_t c) {
  if (c % 4 == 0 && AlignedTo<4>(x, scale, y))
    ForEach(ctx, n * pixels * c / 4, ScaledChannels<4>{x, scale, y, pixels, c});
  else
    ForEach(ctx, n * pixels * c, ScaledChannels<1>{x, scale, y, pixels, c});
}

void TimesChannelsGradient(Context& ctx, const float* x, const float* dy, float* dscale, int64_t n,
                           int64_t pixels, int64_t c) {
  static_assert(kThreads <= ChannelProductsTile::kMost);
  const ChannelProductsTile tile = {x, dy, dscale, pixels, c};
  ForEachBlock(ctx, n * tile.across(), tile);
}

[[maybe_unused]] const bool registered =
    WeightedSum.Set(Device::kCuda, Sum) && WeightedSumGradient.Set(Device::kCuda, SumGradient) &&
    LargerOf.Set(Device::kCuda, Larger) && LargerOfGradient.Set(Device::kCuda, LargerGradient) &&
    ScaleChannels.Set(Device::kCuda, TimesChannels) &&
    ScaleChannelsGradient.Set(Device::kCuda, TimesChannelsGradient);

}  // namespace
}  // namespace singa
