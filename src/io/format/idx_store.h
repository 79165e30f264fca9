// Backend "idx" reads MNIST's format: images in one file and labels in another, each plain or
// gzipped.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file/input_file.h"
#include "io/store/store.h"

namespace singa {

struct IdxHeader {
  std::vector<int32_t> dims;  // 1 to 4 sizes, the first is the number of records
  int64_t bytes = 0;          // size of the header
  int64_t record_bytes = 0;   // size of one record: the product of the other sizes
  int64_t total() const { return bytes + dims[0] * record_bytes; }
};

// Parses the header at the start of `bytes`; it has at most kMaxIdxHeader bytes. Throws DataError.
constexpr int64_t kMaxIdxHeader = 4 + 4 * 4;
IdxHeader ParseIdxHeader(std::span<const uint8_t> bytes, const std::string& name);

// `labels` may be null: no labels. Throws DataError if a file is damaged, or the numbers of labels
// and images differ.
std::unique_ptr<Store> NewIdxStore(InputFile images, std::unique_ptr<InputFile> labels);

}  // namespace singa
