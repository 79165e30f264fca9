// The channels of a pixel as vectors, for kernels that the compiler makes for several instruction
// sets (math/cpu_dispatch.h). All functions are inlined into these kernels.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace singa {

// ChannelLanes<N> handles N channels at a time, Narrow one. The index of a maximum in its window is
// stored in 16 bits. g++ 12 makes a choice between lanes (?:) scalar where the CPU has no such
// vectors: with 16 lanes, a maximum of windows took 7 times as long on AVX2 as with 8.
template <int64_t kLanes>
struct ChannelLanes {
  static constexpr int64_t kChannels = kLanes;
  typedef float Float __attribute__((vector_size(4 * kLanes)));
  typedef double Double __attribute__((vector_size(8 * kLanes)));
  typedef int32_t Int __attribute__((vector_size(4 * kLanes)));
  typedef uint16_t Stored __attribute__((vector_size(2 * kLanes)));
};
struct Narrow {
  using Float = float;
  using Double = double;
  using Int = int32_t;
  using Stored = uint16_t;
};

// Returns whether this CPU has vectors of 16 channels.
inline bool HasSixteenLanes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

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

// Calls at(Width(), channel) for vectors of all channels of a pixel. The last vector may overlap
// the one before; both calls write the same values.
template <typename Width, typename Visit>
[[gnu::always_inline]] inline void EachVector(int64_t channels, const Visit& at) {
  for (int64_t c = 0; c < channels - Width::kChannels; c += Width::kChannels) at(Width(), c);
  at(Width(), channels - Width::kChannels);
}

// Calls at(Width(), channel) for all channels of a pixel, with the widest vectors that fit.
// `sixteen`: HasSixteenLanes().
template <typename Visit>
[[gnu::always_inline]] inline void EachChannel(bool sixteen, int64_t channels, const Visit& at) {
  if (sixteen && channels >= 16) return EachVector<ChannelLanes<16>>(channels, at);
  if (channels >= 8) return EachVector<ChannelLanes<8>>(channels, at);
  for (int64_t c = 0; c < channels; ++c) at(Narrow(), c);
}

}  // namespace singa
