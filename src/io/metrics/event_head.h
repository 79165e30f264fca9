// HeadOf reads what a resumed run needs of an event of TensorBoard, without a copy of its content.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace singa {

struct EventHead {
  int64_t step = 0;
  bool has_rows = false;  // scalars or histograms
  int64_t group = 0;      // of the first of them
};

// Returns nullopt if `record` is no event.
std::optional<EventHead> HeadOf(std::string_view record);

}  // namespace singa
