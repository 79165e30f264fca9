// These functions find params that are not finite. Training diverged, or memory was damaged before
// the checksum was computed.
#pragma once

#include <string>
#include <vector>

#include "io/checkpoint/params_file.h"

namespace singa {

// Returns a line for each such param: its name and the number of such values.
std::vector<std::string> NotFinite(const ParamsFile& file);
// Throws DataError if a param of `names` is not finite. REQUIRES: the file has these params.
void RequireFinite(const ParamsFile& file, const std::vector<std::string>& names);
// Throws DataError if any param of the file is not finite.
void RequireFinite(const ParamsFile& file);

}  // namespace singa
