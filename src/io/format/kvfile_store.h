// Backend "kvfile": v0.3's file of (key, value) tuples; see proto/README.md.
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

// Throws DataError for sizes that no tuple has.
KvIndex IndexKvFile(const InputFile& file);

// Where the complete values lie; with `warns` it tells of an incomplete tuple at the end. Throws
// DataError where there is none, and as IndexKvFile.
std::vector<ValuePlace> ValuesOfKvFile(const InputFile& file, bool warns);

// A file that holds `path`, or, where that is a folder, its shard.dat.
InputFile OpenKvFile(const std::string& path);

// The store of OpenKvFile(options.path). With options.warns it tells of an incomplete tuple at the
// end. Throws DataError where no complete one is left; FileError.
std::unique_ptr<Store> NewKvFileStore(const StoreOptions& options,
                                      std::unique_ptr<ValueParser> parser);

}  // namespace singa
