// StoreFacts: what a store says of itself, by its headers, its index and its first record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store.h"

namespace singa {

// In which order a picture's three colours stand.
enum class ColourOrder : uint8_t {
  kNotSaid,   // the format does not say
  kRedFirst,  // decoded from an image file
  kRawDatum,  // as the program had it that wrote the Datum: Caffe's have blue first
};

struct StoreFacts {
  int64_t records = -1;                   // -1: not known
  std::vector<std::string> classes = {};  // names, by label; empty: the store has none
  std::vector<int64_t> shape = {};  // of the first record, or its numbers in a row; empty: bad
  ColourOrder colours = ColourOrder::kNotSaid;
};

// Reads one record of the store, which is open. One that is bad says nothing. Throws FileError.
StoreFacts FactsOf(const std::string& backend, Store* store);

}  // namespace singa
