// KvTuple makes a tuple of a kvfile: u64 length and bytes of the key, then of the value;
// little-endian.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace singa {

inline std::string KvTuple(std::string_view key, std::string_view value) {
  std::string tuple;
  for (std::string_view part : {key, value}) {
    const uint64_t length = part.size();
    tuple.append(reinterpret_cast<const char*>(&length), sizeof length).append(part);
  }
  return tuple;
}

}  // namespace singa
