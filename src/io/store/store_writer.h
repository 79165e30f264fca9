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
  std::string label_path = {};            // file for the labels, if they are in a separate one
  std::vector<int32_t> shape = {};        // shape of a record; textfile does not need it
  int64_t records = 0;                    // number of records to write
  bool has_label = true;                  // whether records have labels to write
  bool encoded = false;                   // pixels are image files, without a shape
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

// The facts about a format that code outside io/format needs.
struct WriterTraits {
  const char* suffix = "";   // ending of the names of files that have this format, such as ".csv"
  bool image_files = false;  // records may be image files (WriterOptions::encoded)
  bool label_file = false;   // labels are in a separate file (WriterOptions::label_path)
  bool targets = false;      // records may have targets
};

// Returns the traits of the writer that is registered by this name, else the defaults.
const WriterTraits& WriterTraitsOf(const std::string& format);
// Returns the format whose files have names as `path`; `other` if no format has such names.
std::string FormatOfName(const std::string& path, const std::string& other);
bool AddStoreWriter(const char* format, StoreWriterRegistry::Maker open, const WriterTraits& traits,
                    const char* file = __builtin_FILE());

// SINGA_REGISTER_STORE_WRITER(kvfile, OpenKvWriter, .image_files = true);
// OpenKvWriter: (const WriterOptions&, FileSystem*) to unique_ptr<StoreWriter>. The rest are its
// WriterTraits.
#define SINGA_REGISTER_STORE_WRITER(format, open, ...)                 \
  [[maybe_unused]] const bool singa_registered_store_writer_##format = \
      ::singa::AddStoreWriter(#format, open, ::singa::WriterTraits{__VA_ARGS__})

// Makes a writer; `files` must outlive it. Throws the errors of the makers, and ConfigError("",
// ...) for a format without a writer.
std::unique_ptr<StoreWriter> NewStoreWriter(const std::string& format, const WriterOptions& options,
                                            FileSystem* files);

// Returns the product of a shape, at least 0 and at most INT32_MAX.
int64_t NumbersOf(const std::vector<int32_t>& shape);

// Returns the name of a record in kvfile, lmdb and imagefolder: its index in at least 8 digits.
std::string RecordKey(int64_t index);

}  // namespace singa
