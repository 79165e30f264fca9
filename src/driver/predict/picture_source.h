// PicturesAt finds pictures without classes: a file, or the files of one folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/predict/record_source.h"

namespace singa {

// Returns `path` if it is a picture, by its name or its first bytes, or the sorted pictures
// directly in the folder `path`; empty if it is something else. `left_out` gets folders and
// pictures of other formats beside them.
std::vector<std::string> PicturesAt(const std::string& path, LeftOut* left_out);

// short_side: as StoreOptions::short_side; 0: pictures must have the size of `shape`.
std::unique_ptr<RecordSource> NewPictureSource(std::vector<std::string> files,
                                               const std::vector<int64_t>& shape,
                                               int32_t short_side);

}  // namespace singa
