// Constants of CIFAR-10's binary batches.
#pragma once

#include <cstdint>

namespace singa {

inline constexpr int64_t kCifar10Pixels = 3 * 32 * 32;
inline constexpr int64_t kCifar10Record = 1 + kCifar10Pixels;  // the label, and planar bytes
inline constexpr int kCifar10Classes = 10;

}  // namespace singa
