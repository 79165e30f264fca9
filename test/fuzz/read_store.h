// Opens a store, once for records and once for CSV, and reads every value.
#pragma once

#include <string>

#include "io/store.h"
#include "singa/base/error.h"

namespace singa {

inline void ReadStore(const std::string& backend, StoreOptions options) {
  for (const ValueFormat format : {ValueFormat::kRecord, ValueFormat::kCsv}) {
    options.format = format;
    try {
      const auto store = OpenStore(backend, options);
      (void)store->name();
      for (int64_t i = 0; i < store->size(); ++i) {
        try {
          store->Read(i);
        } catch (const DataError&) {
        }
      }
    } catch (const DataError&) {
    } catch (const FileError&) {
    }
  }
}

}  // namespace singa
