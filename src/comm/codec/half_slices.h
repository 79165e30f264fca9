// These kernels are kFp16 (fp16.cc) for slices of a device's memory, with the same bits. A slice's
// code is a head, which has the exponent, and then a float16 for each float.
#pragma once

#include <cstdint>

#include "singa/tensor/kernel.h"

namespace singa {

// Floats [begin, begin + n) of a tensor. Their code begins at uint16_t `at`, a multiple of 8.
struct HalfSlice {
  static constexpr int64_t kHead = 8;
  // Returns the size of the code of n floats.
  static constexpr int64_t Halves(int64_t n) { return kHead + (n + 7) / 8 * 8; }

  int64_t begin = 0, n = 0, at = 0;
};

// The codes of the same slices by several ranks. of[r] is the memory of rank r, in which a slice
// with `at` begins at of[r] + at - first.
struct HalfParts {
  const uint16_t* const* of;
  int ranks;
  int64_t first;
};

// Encodes each slice of `floats`. Floats that are finite are cut to [-clip, clip] times the losses'
// scale in `state` before; clip 0: they are not cut. state: null: losses have no scale.
inline constinit Kernel<void(const HalfSlice* slices, int64_t count, const float* floats,
                             float clip, const StepState* state, uint16_t* codes)>
    EncodeHalves{"EncodeHalves"};
// Adds the decoded parts of each slice up in float32, in the order of the SumTree, and encodes the
// sums. It uses the slices' floats as room.
inline constinit Kernel<void(const HalfSlice* slices, int64_t count, HalfParts parts, float* floats,
                             uint16_t* codes)>
    AddUpHalves{"AddUpHalves"};
inline constinit Kernel<void(const HalfSlice* slices, int64_t count, const uint16_t* codes,
                             float* floats)>
    DecodeHalves{"DecodeHalves"};

}  // namespace singa
