// Lanes are numbers side by side that a device's thread reads and writes at once. Code that only
// moves memory is fastest with 16 bytes a thread.
#pragma once

#include <cstdint>
#include <cstring>

#include "tensor/kernel/host_device.h"

namespace singa {

template <typename T, int N>
struct alignas(sizeof(T) * N) Lanes {
  T of[N];
  SINGA_HD T& operator[](int k) { return of[k]; }
  SINGA_HD const T& operator[](int k) const { return of[k]; }
};

// REQUIRES: AlignedTo<N>(from), on a device.
template <int N, typename T>
SINGA_HD Lanes<T, N> LoadLanes(const T* from) {
#ifdef __CUDA_ARCH__
  return *reinterpret_cast<const Lanes<T, N>*>(from);
#else
  Lanes<T, N> lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
#endif
}

template <int N, typename T>
SINGA_HD void StoreLanes(const Lanes<T, N>& lanes, T* to) {
#ifdef __CUDA_ARCH__
  *reinterpret_cast<Lanes<T, N>*>(to) = lanes;
#else
  std::memcpy(to, &lanes, sizeof(lanes));
#endif
}

// Returns whether N numbers at a time can be read and written at each of `pointers`.
template <int N, typename... T>
SINGA_HD bool AlignedTo(const T*... pointers) {
  return ((reinterpret_cast<uintptr_t>(pointers) % (N * sizeof(T)) == 0) && ...);
}

}  // namespace singa
