// ByteRecord turns a sample's numbers into bytes, for formats that hold only bytes.
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
  // `format` is its name in errors.
  explicit ByteRecord(std::string format) : format_(std::move(format)) {}

  // Returns the numbers as bytes, valid until the next call and while the sample is valid. Throws
  // ValueError for a number that is not a whole number from 0 to 255.
  std::span<const uint8_t> Numbers(const Sample& sample);
  // Returns the label. Throws ValueError if it is not in [0, most]; most <= 255.
  uint8_t Label(const Sample& sample, int most) const;

 private:
  const std::string format_;
  std::vector<uint8_t> bytes_;
};

inline std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace singa
