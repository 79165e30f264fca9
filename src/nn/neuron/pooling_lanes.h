// The channels of a pixel as vectors, for kernels that the compiler makes for several instruction
// sets (math/cpu_dispatch.h). All functions are inlined into these kernels.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace singa {

// Wide handles 16 channels at a time, Narrow one. The index of a maximum in its window is stored in
// 16 bits.
struct Wide {
  static constexpr int64_t kChannels = 16;
  typedef float Float __attribute__((vector_size(4 * kChannels)));
  typedef double Double __attribute__((vector_size(8 * kChannels)));
  typedef int32_t Int __attribute__((vector_size(4 * kChannels)));
  typedef uint16_t Stored __attribute__((vector_size(2 * kChannels)));
};
struct Narrow {
  using Float = float;
  using Double = double;
  using Int = int32_t;
  using Stored = uint16_t;
};

template <typename V, typename T>
[[gnu::always_inline]] inline void Load(const T* from, V* to) {
  std::memcpy(to, from, sizeof(V));
}
template <typename V, typename T>
[[gnu::always_inline]] inline void Store(const V& from, T* to) {
  std::memcpy(to, &from, sizeof(V));
}
template <typename To, typename From>
[[gnu::always_inline]] inline void Convert(const From& from, To* to) {
  if constexpr (std::is_arithmetic_v<From>)
    *to = static_cast<To>(from);
  else
    *to = __builtin_convertvector(from, To);
}

// Calls at(Wide or Narrow, channel) for all channels of a pixel. The last 16 channels may overlap
// the 16 before; both calls write the same values.
template <typename Visit>
[[gnu::always_inline]] inline void EachChannel(int64_t channels, const Visit& at) {
  if (channels < Wide::kChannels) {
    for (int64_t c = 0; c < channels; ++c) at(Narrow(), c);
    return;
  }
  for (int64_t c = 0; c < channels - Wide::kChannels; c += Wide::kChannels) at(Wide(), c);
  at(Wide(), channels - Wide::kChannels);
}

}  // namespace singa
