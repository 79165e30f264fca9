// BoardMemory is zero-filled memory that ranks share by MemoryBoards. Each of them may stand for a
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/collective/memory_board.h"

namespace singa {

class BoardMemory {
 public:
  explicit BoardMemory(const MemoryBoard::Size& size)
      : size_(size), words_(MemoryBoard::Bytes(size) / sizeof(uint64_t)) {}

  std::byte* data() const { return reinterpret_cast<std::byte*>(words_.data()); }
  MemoryBoard Map() const { return MemoryBoard(size_, data()); }

 private:
  const MemoryBoard::Size size_;
  mutable std::vector<uint64_t> words_;  // aligned to 8 bytes, as a board needs
};

}  // namespace singa
