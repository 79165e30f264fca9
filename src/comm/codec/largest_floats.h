// These functions find the floats of a slice that a sparse codec sends, as their positions. The
// positions rise. A slice has fewer than 2^28 floats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace singa {

using Positions = std::vector<uint32_t>;

// Returns the bits of x's magnitude, which grow with it. Those of NaN are above all others.
uint32_t MagnitudeBits(float x);

// Returns the floats whose magnitude has the bits `least` or more.
Positions PositionsFrom(std::span<const float> floats, uint32_t least);

// Returns the `count` floats of largest magnitude, the first ones of equal floats. 1 <= count <=
// floats.size().
Positions PositionsOfLargest(std::span<const float> floats, int64_t count);

}  // namespace singa
