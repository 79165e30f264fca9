// Backend "kvfile" reads v0.3's file of (key, value) tuples; see proto/README.md.
#pragma once

#include <memory>
#include <vector>

#include "base/file/input_file.h"
#include "io/format/value_store.h"

namespace singa {

constexpr int64_t kMaxKeyBytes = 1 << 16;  // a longer key is damage

struct KvIndex {
  std::vector<ValuePlace> values;
  int64_t tail = 0;  // bytes of an incomplete tuple at the end
};

// Finds all tuples. Throws DataError for sizes that no tuple has.
KvIndex IndexKvFile(const InputFile& file);

// Returns the places of the complete values. With `warns` it warns of an incomplete tuple at the
// end. Throws DataError if there is no complete value, and the errors of IndexKvFile.
std::vector<ValuePlace> ValuesOfKvFile(const InputFile& file, bool warns);

// Opens the file `path`, or its shard.dat if it is a folder.
InputFile OpenKvFile(const std::string& path);

// Opens the store of OpenKvFile(options.path). With options.warns it warns of an incomplete tuple
// at the end. Throws FileError, or DataError if there is no complete tuple.
std::unique_ptr<Store> NewKvFileStore(const StoreOptions& options,
                                      std::unique_ptr<ValueParser> parser);

}  // namespace singa
