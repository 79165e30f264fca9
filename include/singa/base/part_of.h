// PartOf divides rows or units evenly over workers.
#pragma once

#include <cstdint>
#include <utility>

namespace singa {

// Returns part `part` of `parts` nearly equal parts of [0, all): its first element, and the number
// of its elements.
constexpr std::pair<int64_t, int64_t> PartOf(int64_t all, int64_t part, int64_t parts) {
  const int64_t first = part * all / parts;
  return {first, (part + 1) * all / parts - first};
}

}  // namespace singa
