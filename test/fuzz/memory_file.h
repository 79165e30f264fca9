// MemoryFile is a file that is written to memory.
#pragma once

#include <string>

#include "base/file/file_system.h"

namespace singa {

class MemoryFile final : public WritableFile {
 public:
  void Write(const void* data, size_t bytes) override {
    if (bytes > 0) text.append(static_cast<const char*>(data), bytes);
  }
  void Sync() override {}
  void Close() override {}

  std::string text;
};

}  // namespace singa
