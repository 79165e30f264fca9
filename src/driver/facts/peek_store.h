// Opens the stores and other files of input layers as training does, and reads the first record.
#pragma once

#include <optional>

#include "io/reader/batch_decoder.h"
#include "io/store/store_facts.h"
#include "nn/graph/graph.h"
#include "singa/nn/net.h"

namespace singa {

struct PeekedStore {
  std::optional<StoreFacts> facts;  // none: it cannot be opened, or is slow to index
  // The errors that training would end with, relative to the store's settings. Missing files are
  // reported elsewhere.
  ConfigErrors errors;
};

// Reads only the first line of a large textfile. Does not open other stores that are slow to index.
// A bad record that training may skip is no error.
PeekedStore PeekStore(const RowSource& source);

// Opens the file of an input layer of singa's own that reads no store, such as a text. Errors are
// relative to the layer; other layers have none.
ConfigErrors PeekReader(NetNode* node);

}  // namespace singa
