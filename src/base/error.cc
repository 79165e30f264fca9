#include "singa/base/error.h"

namespace singa {

std::string Printable(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  bool upper = false;  // second byte of U+0080 to U+009f, which are control characters, too
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool starts = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (byte >= ' ' && byte != 0x7f && !starts && !upper)
      out += text[i];
    else
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    upper = starts;
  }
  return out;
}

}  // namespace singa
