// These functions write the layers of nets that learn from a table.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/store/store_statistics.h"

namespace singa {

// Returns layers that predict one of so many classes.
std::string ClassLayers(int64_t classes);

// Returns layers that predict numbers. Each target has layers of its own, which learn it scaled to
// mean 0 and deviation 1. `targets`: the statistics of each target in training; not empty.
std::string TargetLayers(std::span<const NumberStatistics> targets);

}  // namespace singa
