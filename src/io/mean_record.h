// WriteMeanRecord makes the files for StoreProto.mean_file and RGBImageProto.meanfile: the mean of
// a store's records, number by number.
#pragma once

#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/store/store.h"

namespace singa {

// Writes the mean to `path` in the format of SINGA 0.3's image_mean.bin: a kvfile of one tuple with
// key "mean" and a RecordProto with shape and float data. `shape` is a record's; if empty, the
// first record's. Sums are float64. Throws FileError, or DataError for a record of another size.
void WriteMeanRecord(Store* store, std::vector<int32_t> shape, const std::string& path,
                     FileSystem* files);

}  // namespace singa
