// Where the values of an LMDB file are, found by our own walk of its pages: liblmdb trusts them.
#pragma once

#include <string>
#include <vector>

#include "base/file/input_file.h"
#include "io/format/scan_window.h"

namespace singa {

// The file that holds `path`, or, where that is a folder, its data.mdb. Throws FileError.
InputFile OpenLmdbFile(const std::string& path);

bool IsLmdb(const InputFile& file);

// The values of its unnamed database in the order of its keys. Throws DataError: damaged, cut off,
// empty, of another kind of machine, with named databases or several values a key; FileError.
std::vector<ValuePlace> IndexLmdb(const InputFile& file);

}  // namespace singa
