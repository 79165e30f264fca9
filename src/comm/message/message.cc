#include "comm/message/message.h"

#include <algorithm>
#include <cstring>

namespace singa {

Frame Frame::Copy(const void* data, size_t size) {
  auto bytes = std::make_shared_for_overwrite<char[]>(size);
  if (size > 0) std::memcpy(bytes.get(), data, size);  // no bytes may lie at null
  const void* const at = bytes.get();
  return Frame(std::move(bytes), at, size);
}

void JoinFrames(std::vector<Frame>* frames) {
  if (frames->size() < 2) return;
  size_t size = 0;
  for (const Frame& frame : *frames) size += frame.size();
  auto bytes = std::make_shared_for_overwrite<char[]>(size);
  char* to = bytes.get();
  for (const Frame& frame : *frames)
    to = std::copy_n(static_cast<const char*>(frame.data()), frame.size(), to);
  const void* const at = bytes.get();
  *frames = {Frame(std::move(bytes), at, size)};
}

}  // namespace singa
