#pragma once

#include <cstdint>

namespace singa {

// Returns `size` as a multiple of `of`, rounded up. REQUIRES: size >= 0, of > 0.
constexpr int64_t RoundUp(int64_t size, int64_t of) { return (size + of - 1) / of * of; }

}  // namespace singa
