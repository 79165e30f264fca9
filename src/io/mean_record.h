// The mean of a store's records, number by number: what StoreProto.mean_file and
// RGBImageProto.meanfile subtract.
#pragma once

#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/store/store.h"

namespace singa {

// Writes it to `path` as SINGA 0.3's image_mean.bin: a kvfile of one tuple, key "mean", a
// RecordProto with shape and float data. `shape`: of a record; empty: as the first says. Sums in
// float64. Throws DataError for a record of another size, FileError.
void WriteMeanRecord(Store* store, std::vector<int32_t> shape, const std::string& path,
                     FileSystem* files);

}  // namespace singa
