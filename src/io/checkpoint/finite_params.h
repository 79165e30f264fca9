// Finds params that are not finite: they were trained to infinity, or damaged before a checksum was
// made of them.
#pragma once

#include <string>
#include <vector>

#include "io/checkpoint/params_file.h"

namespace singa {

// A line for each such param: its name and how many values.
std::vector<std::string> NotFinite(const ParamsFile& file);
// Throws DataError with the lines of `names`. REQUIRES: the file has them.
void RequireFinite(const ParamsFile& file, const std::vector<std::string>& names);
// Throws DataError for any param of the file.
void RequireFinite(const ParamsFile& file);

}  // namespace singa
