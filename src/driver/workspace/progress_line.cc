#include "driver/workspace/progress_line.h"

#include <algorithm>

namespace singa {
namespace {

// Returns the columns of `text`. Continuation bytes of UTF-8 take none.
size_t ColumnsOf(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string Join(const std::vector<LineField>& fields) {
  std::string line;
  for (const LineField& field : fields) line += (line.empty() ? "" : field.before) + field.text;
  return line;
}

}  // namespace

std::string FitLine(std::vector<LineField> fields, size_t width) {
  while (!fields.empty() && ColumnsOf(Join(fields)) > width) {
    const auto least =
        std::min_element(fields.rbegin(), fields.rend(),
                         [](const LineField& a, const LineField& b) { return a.rank < b.rank; });
    fields.erase(std::prev(least.base()));
  }
  return Join(fields);
}

}  // namespace singa
