// Bridge says which part of a feature the workers of a group have on both sides of a bridge.
#pragma once

#include <cstdint>

namespace singa {

// The part of a feature that a worker has.
enum class Layout : uint8_t {
  kRows,    // its rows, all units
  kUnits,   // all rows, its units
  kAll,     // all rows, all units
  kPieces,  // its rows of each piece, all units: in front of a slice, behind joined rows
};

struct Bridge {
  enum Transfer : uint8_t { kFeature, kGradient, kLabels, kTransfers };

  Layout from = Layout::kRows, to = Layout::kRows;
  int pieces = 1;       // which one layout or none divides
  bool labels = false;  // labels cross, too
  int worker = 0, workers = 1;
  int tag = 0;  // its first tag for the RegionExchange, of time step 0

  // Returns the number of tags of one time step.
  int tags() const { return pieces * kTransfers; }
  int TagOf(Transfer transfer, int step, int piece) const {
    return tag + step * tags() + piece * kTransfers + transfer;
  }
};

}  // namespace singa
