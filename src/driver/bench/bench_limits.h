// BenchLimits says how many steps `singa bench` measures.
#pragma once

#include <cstdint>

namespace singa {

struct BenchLimits {
  int64_t warm_up, steps;  // steps that are not measured, and most that are
  int64_t least;           // steps that are measured, even if they take more than `seconds`
  double seconds;
};

}  // namespace singa
