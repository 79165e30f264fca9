// These functions help tests of decoders of pictures.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/value_error.h"

namespace singa {

inline std::span<const uint8_t> BytesOf(const std::string& file) {
  return {reinterpret_cast<const uint8_t*>(file.data()), file.size()};
}

// Returns the text of the error with which `decode` refuses its file; "": it does not.
template <typename Decode>
std::string RefusalOf(const Decode& decode) {
  try {
    decode();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "";
}

}  // namespace singa
