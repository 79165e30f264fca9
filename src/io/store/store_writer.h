// StoreWriter: writes records in one of the formats that stores read; and the table of formats.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/store/store.h"
#include "singa/base/registry.h"

namespace singa {

struct WriterOptions {
  std::string path = {};
  std::string label_path = {};            // idx: where the labels go
  std::vector<int32_t> shape = {};        // of a record; textfile does not need it
  int64_t records = 0;                    // how many will be written
  bool has_label = true;                  // whether records have labels, and they are to be written
  bool encoded = false;                   // kvfile, lmdb: pixels are image files, without a shape
  std::vector<std::string> classes = {};  // imagefolder: names by label; empty: the labels
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

// By the backend that reads the format. Makers throw ConfigError("", ...) for options that the
// format has no place for, and FileError.
using StoreWriterRegistry = Registry<StoreWriter, const WriterOptions&, FileSystem*>;
StoreWriterRegistry& StoreWriters();

// SINGA_REGISTER_STORE_WRITER(kvfile, OpenKvWriter);
// OpenKvWriter: (const WriterOptions&, FileSystem*) to unique_ptr<StoreWriter>.
#define SINGA_REGISTER_STORE_WRITER(format, open)                      \
  [[maybe_unused]] const bool singa_registered_store_writer_##format = \
      ::singa::StoreWriters().Add(#format, open)

// `files` must outlive the writer. Throws as the makers, and ConfigError("", ...) for a format that
// nobody writes.
std::unique_ptr<StoreWriter> NewStoreWriter(const std::string& format, const WriterOptions& options,
                                            FileSystem* files);

// The product of a shape; at least 0, at most INT32_MAX.
int64_t NumbersOf(const std::vector<int32_t>& shape);

// What kvfile, lmdb and imagefolder call a record: at least 8 digits.
std::string RecordKey(int64_t index);

}  // namespace singa
