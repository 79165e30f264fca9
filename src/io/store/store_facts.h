// StoreFacts are facts of a store from its headers, its index and its first record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

struct StoreFacts {
  int64_t records = -1;                   // -1: not known
  std::vector<std::string> classes = {};  // names, by label; empty: the store has none
  std::vector<std::string> columns = {};  // as Store::columns
  std::vector<int64_t> shape = {};        // shape or size of the first record; empty: it is bad
  ColourOrder colours = ColourOrder::kNotSaid;  // as readers see them: never kBlueFirst
  LeftOut left_out = {};
  LabelRange labels = {};           // range of stored labels; none: not known
  std::vector<float> targets = {};  // of the first record
};

// Returns the facts, and reads the first record. A bad record gives no facts. Throws FileError.
// REQUIRES: the store was opened with these options.
StoreFacts FactsOf(const std::string& backend, const StoreOptions& options, Store* store);

}  // namespace singa
