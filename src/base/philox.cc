#include "singa/base/philox.h"

#include <cmath>

#include "base/box_muller.h"

namespace singa {

void Philox::ToGaussian(uint32_t a, uint32_t b, float* even, float* odd) {
  const float radius = std::sqrt(MinusTwoLog(a));
  float cosine, sine;
  CosSinOfTurn(b, &cosine, &sine);
  *even = radius * cosine;
  *odd = radius * sine;
}

float Philox::Gaussian(uint64_t index) const {
  const std::array<uint32_t, 4> x = Block(index / 4);
  const size_t pair = index % 4 & 2;
  float even, odd;
  ToGaussian(x[pair], x[pair + 1], &even, &odd);
  return index % 2 ? odd : even;
}

}  // namespace singa
