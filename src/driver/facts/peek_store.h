// PeekStore opens the store of an input layer as training does, and reads its first records.
#pragma once

#include <cstdint>
#include <optional>

#include "io/reader/batch_decoder.h"
#include "io/store/store_facts.h"
#include "nn/graph/graph.h"
#include "singa/nn/net.h"

namespace singa {

struct PeekedStore {
  std::optional<StoreFacts> facts;  // not set: the store cannot be opened, or is slow to index
  // Errors with which training would end, relative to the store's settings. Missing files are
  // reported elsewhere.
  ConfigErrors errors;
};

enum class PeekAt : uint8_t {
  kFacts,   // the first record
  kRecords  // also all lines of a text of at most 1 MiB or 10,000 lines
};

// Opens a store. Reads only the first line of a large textfile, and does not open other stores that
// are slow to index. A bad record that training may skip is no error.
PeekedStore PeekStore(const RowSource& source, PeekAt at);

// Opens the file of one of singa's input layers that reads no store, such as a text, and shows its
// largest index to the readers in `net`. Returns errors relative to the layer; none for other
// layers.
ConfigErrors PeekReader(Net* net, NetNode* node);

}  // namespace singa
