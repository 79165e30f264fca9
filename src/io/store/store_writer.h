// StoreWriter writes records in one of the formats that stores read. This file also has the table
// of formats.
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
  std::string label_path = {};            // idx: file for the labels
  std::vector<int32_t> shape = {};        // shape of a record; textfile does not need it
  int64_t records = 0;                    // number of records to write
  bool has_label = true;                  // whether records have labels to write
  bool encoded = false;                   // kvfile, lmdb: pixels are image files, without a shape
  std::vector<std::string> classes = {};  // imagefolder: names by label; empty: the labels
};

class StoreWriter {
 public:
  virtual ~StoreWriter() = default;
  // Writes a record. Throws FileError, or ValueError for a sample that the format cannot hold.
  // REQUIRES: the sample has a number.
  virtual void Write(const Sample& sample) = 0;
  // Makes the files appear under their names. REQUIRES: WriterOptions::records records were
  // written.
  virtual void Finish() = 0;
};

// Writers by the backend that reads the format. Makers throw FileError, and ConfigError("", ...)
// for options that the format cannot hold.
using StoreWriterRegistry = Registry<StoreWriter, const WriterOptions&, FileSystem*>;
StoreWriterRegistry& StoreWriters();

// SINGA_REGISTER_STORE_WRITER(kvfile, OpenKvWriter);
// OpenKvWriter: (const WriterOptions&, FileSystem*) to unique_ptr<StoreWriter>.
#define SINGA_REGISTER_STORE_WRITER(format, open)                      \
  [[maybe_unused]] const bool singa_registered_store_writer_##format = \
      ::singa::StoreWriters().Add(#format, open)

// Makes a writer; `files` must outlive it. Throws the errors of the makers, and ConfigError("",
// ...) for a format without a writer.
std::unique_ptr<StoreWriter> NewStoreWriter(const std::string& format, const WriterOptions& options,
                                            FileSystem* files);

// Returns the product of a shape, at least 0 and at most INT32_MAX.
int64_t NumbersOf(const std::vector<int32_t>& shape);

// Returns the name of a record in kvfile, lmdb and imagefolder: its index in at least 8 digits.
std::string RecordKey(int64_t index);

}  // namespace singa
