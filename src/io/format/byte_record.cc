#include "io/format/byte_record.h"

#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {

std::span<const uint8_t> ByteRecord::Numbers(const Sample& sample) {
  if (sample.data.empty()) return sample.pixel;
  bytes_.clear();
  for (float x : sample.data) {
    if (!(x >= 0 && x <= 255 && x == static_cast<float>(static_cast<uint8_t>(x))))
      throw ValueError(StrCat(format_, " holds bytes; the number ", x, " is none"));
    bytes_.push_back(static_cast<uint8_t>(x));
  }
  return bytes_;
}

uint8_t ByteRecord::Label(const Sample& sample, int most) const {
  if (sample.label < 0 || sample.label > most)
    throw ValueError(
        StrCat(format_, " has labels from 0 to ", most, "; the label ", sample.label, " is none"));
  return static_cast<uint8_t>(sample.label);
}

}  // namespace singa
