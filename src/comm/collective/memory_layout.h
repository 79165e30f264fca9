// MemoryLayout places arrays one after the other in a block of memory, each at a multiple of 64
// bytes, the size of a cache line. Without a block it only counts the bytes that the arrays need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace singa {

class MemoryLayout {
 public:
  // In bytes. In a block with this alignment, two arrays never share a cache line.
  static constexpr int64_t kAlignment = 64;

  // `memory`: aligned to 8 bytes at least; null: to count.
  explicit MemoryLayout(std::byte* memory) : memory_(memory) {}

  // Returns the next array, of n elements; it is empty when the layout only counts.
  template <typename T>
  std::span<T> Allocate(int64_t n) {
    static_assert(alignof(T) <= kAlignment);
    T* const at = memory_ ? reinterpret_cast<T*>(memory_ + bytes_) : nullptr;
    bytes_ += (n * static_cast<int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
    return {at, memory_ ? static_cast<size_t>(n) : 0};
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* const memory_;
  int64_t bytes_ = 0;
};

}  // namespace singa
