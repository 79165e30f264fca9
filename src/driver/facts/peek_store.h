// Opens the stores and texts of input layers as training does, and reads the first record.
#pragma once

#include <optional>

#include "io/reader/batch_decoder.h"
#include "io/store/store_facts.h"
#include "nn/graph/graph.h"
#include "singa/nn/net.h"

namespace singa {

struct PeekedStore {
  std::optional<StoreFacts> facts;  // none: it cannot be opened, or is slow to index
  // What training would end with, relative to the store's settings. A missing file is not among
  // them.
  ConfigErrors errors;
};

// Of a large textfile only the first line is read, other stores that are slow to index are left
// alone. A bad record that training may skip is no error.
PeekedStore PeekStore(const RowSource& source);

// The same of the text that a kCharRNN reads; other layers have no errors. Errors are relative to
// the layer.
ConfigErrors PeekText(NetNode* node);

}  // namespace singa
