// Writes values that other worker groups may read at the same time (Niu et al., "Hogwild!", 2011).
// Every float is written whole, in no order. All writes that may meet a read are here.
#pragma once

#include <atomic>
#include <cstdint>

namespace singa {

inline void StoreShared(const float* from, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) std::atomic_ref(to[i]).store(from[i], std::memory_order_relaxed);
}

}  // namespace singa
