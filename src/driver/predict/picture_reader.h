// PictureReader makes records of picture files, as the net takes them. One thread at a time may use
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/picture/image_decoder.h"
#include "io/store/short_side.h"
#include "io/store/store.h"

namespace singa {

class PictureReader {
 public:
  // `shape`: a record's, planar. Pictures are scaled to `short_side`; 0: they are not.
  PictureReader(const std::vector<int64_t>& shape, int32_t short_side);

  // Returns the record, valid until the next call. `file` names it in errors. Throws DataError.
  const Sample& Read(const std::string& file, std::span<const uint8_t> bytes);

 private:
  const std::vector<int64_t> shape_;
  ImageDecoder decoder_;
  std::optional<ShortSide> short_side_;
  Sample sample_;
};

}  // namespace singa
