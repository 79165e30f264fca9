#include "comm/codec/half_slices.h"

#include "comm/codec/half_slices_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

constexpr int kSliceThreads = 1024;  // slices are large, and few are worked on at once

void Encode(Context& ctx, const HalfSlice* slices, int64_t count, const float* floats, float clip,
            const StepState* state, uint16_t* codes) {
  ForEachBlock<kSliceThreads>(ctx, count, EncodeHalfSlice{slices, floats, clip, state, codes});
}

void AddUp(Context& ctx, const HalfSlice* slices, int64_t count, HalfParts parts, float* floats,
           uint16_t* codes) {
  ForEachBlock<kSliceThreads>(ctx, count, AddUpHalfSlice{slices, parts, floats, codes});
}

void Decode(Context& ctx, const HalfSlice* slices, int64_t count, const uint16_t* codes,
            float* floats) {
  ForEachBlock<kSliceThreads>(ctx, count, DecodeHalfSlice{slices, codes, floats});
}

[[maybe_unused]] const bool registered = EncodeHalves.Set(Device::kCuda, Encode) &&
                                         AddUpHalves.Set(Device::kCuda, AddUp) &&
                                         DecodeHalves.Set(Device::kCuda, Decode);

}  // namespace
}  // namespace singa
