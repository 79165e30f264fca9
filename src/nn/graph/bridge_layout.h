// Layout says which part of a feature each worker of a group has, and Bridge how the workers get
// from one layout to another.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>

#include "singa/base/str_cat.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// The workers divide the rows into `rows` parts and the units into `units` parts. Workers one after
// the other have the same rows: with 2 times 2 parts workers 0 and 1 have the first rows, and
// workers 0 and 2 the first units. rows times units divides the number of workers; if it is less,
// several workers have the same part.
struct Layout {
  int rows = 1, units = 1;
  // The workers divide the rows of each piece, not of the whole: in front of a slice, behind joined
  // rows. All units.
  bool pieces = false;

  auto operator<=>(const Layout&) const = default;  // NOLINT(modernize-use-nullptr)

  // Returns the number of workers, of `workers`, that have the same part.
  constexpr int Copies(int workers) const { return workers / (rows * units); }
  constexpr int RowPart(int worker, int workers) const { return worker / (workers / rows); }
  constexpr int UnitPart(int worker) const { return worker % units; }
};

inline constexpr Layout kWholeLayout = {1, 1};
constexpr Layout LayoutByRows(int workers) { return {workers, 1}; }
constexpr Layout LayoutByUnits(int workers) { return {1, workers}; }

// Returns how the workers divide the layer of `conf`, whose system fields Partition has set.
inline Layout LayoutOf(const LayerProto& conf) {
  if (conf.has_partition_grid())
    return {conf.partition_grid().rows(), conf.partition_grid().units()};
  const int workers = std::max(1, conf.num_partitions());
  return conf.partition_dim() == 1 ? LayoutByUnits(workers) : LayoutByRows(workers);
}

// Returns "by rows", "by units", "in 2 x 3 parts" of rows and units, or "whole".
inline std::string TextOf(const Layout& layout, int workers) {
  if (layout == LayoutByRows(workers)) return "by rows";
  if (layout == LayoutByUnits(workers)) return "by units";
  if (layout == kWholeLayout) return "whole";
  return StrCat("in ", layout.rows, " x ", layout.units, " parts");
}

// A layer needs its source's feature in this layout.
struct Need {
  Layout layout;
  // Each worker computes a part of the gradient of what it reads, as it has some of the units that
  // depend on it. Workers with the same part of the feature add these up.
  bool sums = false;

  auto operator<=>(const Need&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Returns what a layer in the layout needs. `reads_all`: its units depend on all units of its
// sources (UnitCut::kOwn).
constexpr Need NeedOf(const Layout& layout, bool reads_all) {
  if (!reads_all || layout.units == 1) return {layout, false};
  return {{layout.rows, 1}, true};
}

struct Bridge {
  enum Transfer : uint8_t { kFeature, kGradient, kLabels, kTransfers };

  Layout from, to;
  bool sums = false;    // Need::sums of the readers
  int pieces = 1;       // of the rows; 1 unless `from` or `to` divides each piece
  bool labels = false;  // labels cross, too
  int worker = 0, workers = 1;
  bool to_grid = false;    // the first reader's conf has a partition_grid
  bool on_device = false;  // the workers' GPUs exchange regions; else the host does
  int tag = 0;             // its first tag for the RegionExchange, of time step 0

  // Returns the number of tags of one time step.
  int tags() const { return pieces * kTransfers; }
  int TagOf(Transfer transfer, int step, int piece) const {
    return tag + step * tags() + piece * kTransfers + transfer;
  }
  // Returns whether a worker gives another a region of the feature: each worker that has a copy of
  // the whole takes what it needs of its own.
  bool GivesFeature(int giver, int taker) const {
    return giver == taker || from.Copies(workers) == 1;
  }
  // Returns whether a worker gives another a region of the gradient: of copies that are the same,
  // each worker takes its own.
  bool GivesGradient(int giver, int taker) const {
    return giver == taker || sums || to.Copies(workers) == 1;
  }
};

}  // namespace singa
