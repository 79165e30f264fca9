// Reads any bytes as a row of metrics. A row has a phase and a step, and its texts are in the line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "driver/board/row_outline.h"

namespace {

void RequireInside(std::string_view part, std::string_view line) {
  if (part.empty()) return;
  if (part.data() < line.data() || part.data() + part.size() > line.data() + line.size())
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto outline = singa::ReadRowOutline(line);
  if (outline) {
    RequireInside(outline->phase, line);
    RequireInside(outline->layer, line);
  }
  return 0;
}
