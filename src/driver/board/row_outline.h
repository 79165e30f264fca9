// RowOutline is what the index of metrics.jsonl keeps of a row. It is read without making a JSON
// value of the row, as a file may have millions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace singa {

struct RowOutline {
  // Texts as they stand in the row, with JSON's escapes. They point into its line.
  std::string_view phase, layer;
  int64_t step = 0, group = 0;
  int64_t rank = -1;  // of a process; -1: none
  float loss = 0;     // NaN: the row has none, or it is not finite
  double bytes_sent = 0, bytes_received = 0;
  size_t keys = 0;  // a hash of the names of its fields, in order
};

// Reads the outline of a row. Returns none if `line` is no JSON object with a phase and a step, or
// if a value is nested deeply. The rest of the line may still be wrong JSON.
std::optional<RowOutline> ReadRowOutline(std::string_view line);

}  // namespace singa
