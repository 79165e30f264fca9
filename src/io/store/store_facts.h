// StoreFacts: what a store says of itself, by its headers, its index and its first record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

struct StoreFacts {
  int64_t records = -1;                   // -1: not known
  std::vector<std::string> classes = {};  // names, by label; empty: the store has none
  std::vector<int64_t> shape = {};  // of the first record, or its numbers in a row; empty: bad
  ColourOrder colours = ColourOrder::kNotSaid;  // as readers see them: never kBlueFirst
  LeftOut left_out = {};
  LabelRange labels = {};  // of stored labels; none: not known
};

// Reads one record of the store, which was opened with these options. One that is bad says nothing.
// Throws FileError.
StoreFacts FactsOf(const std::string& backend, const StoreOptions& options, Store* store);

}  // namespace singa
