// SplitLines divides the records of a text at random into two texts.
#pragma once

#include <cstdint>
#include <string>

#include "base/file/file_system.h"

namespace singa {

struct SplitOptions {
  bool table = true;              // fields in quotes may have line breaks; false: an image list
  std::string separator = ",";    // each character separates fields of a table
  bool header = false;            // the first record names the columns, and goes to both texts
  bool refuses_words = true;      // of a table without a header, a first record of words alone
  bool by_class = false;          // each class is divided by itself
  std::string label_column = {};  // by_class, of a table: as StoreProto.label_column
  double test = 0.2;              // share of the records that go to the test text; > 0 and < 1
  uint64_t seed = 0;
};

struct SplitCounts {
  int64_t train = 0, test = 0;  // records
};

// Writes the records of the text at `path` to two new texts, in their order, without the blank
// lines between them. Their numbers depend on the shares alone, the choice on the seed and each
// record's index. It reads the text twice and keeps one record in memory. Throws DataError for a
// text that cannot be divided so, and FileError.
SplitCounts SplitLines(const std::string& path, const SplitOptions& options,
                       const std::string& train, const std::string& test, FileSystem* files);

}  // namespace singa
