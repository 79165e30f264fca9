// ReadStore opens a store, once for records and once for CSV. It reads every value, also as a
// picture that is resized.
#pragma once

#include <string>
#include <utility>

#include "io/store/resized_store.h"
#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {

inline void ReadAll(Store* store) {
  for (int64_t i = 0; i < store->size(); ++i) {
    try {
      store->Read(i);
    } catch (const DataError&) {
    }
  }
}

inline void ReadStore(const std::string& backend, StoreOptions options) {
  for (const ValueFormat format : {ValueFormat::kRecord, ValueFormat::kCsv}) {
    options.format = format;
    try {
      auto store = OpenStore(backend, options);
      (void)store->name();
      (void)store->Labels();
      (void)store->WordsOfLabels(1000);
      ReadAll(store.get());
      ReadAll(ResizePictures(std::move(store), 2, 3).get());
    } catch (const DataError&) {
    } catch (const FileError&) {
    }
  }
}

}  // namespace singa
