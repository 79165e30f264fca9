// InputRows are the records of one request, as a session takes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/vocabulary.h"

namespace singa {

// The limits of a request, and the records that its net takes.
struct InputForm {
  std::vector<int64_t> shape = {};  // of a record
  int64_t size = 0;                 // numbers of a record
  int64_t most_records = 1;         // of a request
  // The characters of a net that reads a text; null: it reads none.
  const Vocabulary* vocabulary = nullptr;
  bool short_texts = false;  // whether a text may be shorter than a record
};

struct InputRows {
  std::vector<float> numbers;    // [records, size]
  std::vector<int64_t> lengths;  // of each record: size, or the number of its characters

  int64_t records() const { return static_cast<int64_t>(lengths.size()); }
};

// Reads {"inputs": [record, ...]}. A record is an array of numbers, nested as its shape or flat, or
// a text of characters. Short texts are filled with zeros. Throws BadRequest, which names the
// place.
InputRows ReadJsonRows(std::string_view body, const InputForm& form);

// Reads records as float32 numbers, least byte first, without anything between them. Throws
// BadRequest.
InputRows ReadFloatRows(std::string_view body, const InputForm& form);

// Returns a shape for people: "1 x 28 x 28".
std::string ShapeOfRecord(const std::vector<int64_t>& shape);

}  // namespace singa
