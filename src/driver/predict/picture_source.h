// Pictures without classes: files, or those of one folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/predict/record_source.h"

namespace singa {

// The picture that `path` is, by its name or its first bytes, or those right in the folder `path`,
// sorted; none where it is something else. `left_out`: folders, and pictures of other formats,
// beside them.
std::vector<std::string> PicturesAt(const std::string& path, LeftOut* left_out);

std::unique_ptr<RecordSource> NewPictureSource(std::vector<std::string> files,
                                               const std::vector<int64_t>& shape);

}  // namespace singa
