#include "comm/message.h"

#include <cstring>

namespace singa {

Frame Frame::Copy(const void* data, size_t size) {
  auto bytes = std::make_shared_for_overwrite<char[]>(size);
  std::memcpy(bytes.get(), data, size);
  const void* const at = bytes.get();
  return Frame(std::move(bytes), at, size);
}

}  // namespace singa
