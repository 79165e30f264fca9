// A bridge carries a feature between two layers of a net that the workers of a group divide in
// different ways, and its gradient back. Partition inserts it. It has two ends, which are layers:
// the source reads the feature and offers the other workers their pieces; the end gives the
// feature in the reader's layout. Each worker has both.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "singa/nn/layer.h"
#include "singa/nn/net.h"

namespace singa {

// The part of a feature that a worker has.
enum class Layout : uint8_t {
  kRows,   // its rows, all units
  kUnits,  // all rows, its units
  kAll,    // all rows, all units
};

struct Bridge {
  static constexpr int kTags = 3;  // transfers of a bridge: feature, labels, gradient

  Layout from = Layout::kRows, to = Layout::kRows;
  int worker = 0, workers = 1;
  int tag = 0;  // its first tag for the PieceExchange, of time step 0
};

// The source's output is memory for the feature in the reader's layout, in which it puts the pieces
// that the worker has itself. Only the end of the same bridge may read it.
std::unique_ptr<Layer> NewBridgeSource(const Bridge& bridge);
std::unique_ptr<Layer> NewBridgeEnd(const Bridge& bridge);

// Returns the number of tags that the bridges of a net use.
int BridgeTags(const std::deque<NetNode>& nodes);

}  // namespace singa
