// StoreWriter: writes records in one of the formats that stores read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "io/store.h"

namespace singa {

struct WriterOptions {
  std::string path = {};
  std::string label_path = {};      // idx: where the labels go
  std::vector<int32_t> shape = {};  // of a record; idx and kvfile write it; empty: the records'
  int64_t records = 0;              // how many will be written
  bool has_label = true;            // whether records have labels, and they are to be written
};

class StoreWriter {
 public:
  virtual ~StoreWriter() = default;
  // REQUIRES: the sample has a number. Throws ValueError for one that the format cannot hold;
  // FileError.
  virtual void Write(const Sample& sample) = 0;
  // Makes the files appear under their names. REQUIRES: as many records as promised.
  virtual void Finish() = 0;
};

// `format`: "kvfile" (keys %08d, RecordProto), "textfile" (CSV), "idx" (bytes). `files` must
// outlive the writer. nullptr for any other format.
std::unique_ptr<StoreWriter> NewStoreWriter(const std::string& format, const WriterOptions& options,
                                            FileSystem* files);

}  // namespace singa
