// ByteRecord: the numbers of a sample as bytes, for formats that hold nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/store/store.h"

namespace singa {

class ByteRecord {
 public:
  // `format`: for errors.
  explicit ByteRecord(std::string format) : format_(std::move(format)) {}

  // Valid until the next call, and as long as the sample is. Throws ValueError for a number that is
  // no whole one from 0 to 255.
  std::span<const uint8_t> Numbers(const Sample& sample);
  // Throws ValueError for a label above `most`, which is at most 255.
  uint8_t Label(const Sample& sample, int most) const;

 private:
  const std::string format_;
  std::vector<uint8_t> bytes_;
};

inline std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace singa
