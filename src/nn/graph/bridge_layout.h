// Bridge says which part of a feature the workers of a group have on both sides of a bridge.
#pragma once

#include <cstdint>

namespace singa {

// The part of a feature that a worker has.
enum class Layout : uint8_t {
  kRows,   // its rows, all units
  kUnits,  // all rows, its units
  kAll,    // all rows, all units
};

struct Bridge {
  static constexpr int kTags = 2;  // transfers of a bridge: feature and gradient

  Layout from = Layout::kRows, to = Layout::kRows;
  int worker = 0, workers = 1;
  int tag = 0;  // its first tag for the RegionExchange, of time step 0

  int feature(int step) const { return tag + kTags * step; }
  int gradient(int step) const { return feature(step) + 1; }
};

}  // namespace singa
