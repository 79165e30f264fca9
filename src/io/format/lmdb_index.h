// IndexLmdb finds the values of an LMDB file. It walks the pages itself, as liblmdb trusts them.
#pragma once

#include <string>
#include <vector>

#include "base/file/input_file.h"
#include "io/file/scan_window.h"

namespace singa {

// Opens the file `path`, or its data.mdb if it is a folder. Throws FileError.
InputFile OpenLmdbFile(const std::string& path);

bool IsLmdb(const InputFile& file);

// Returns the values of the unnamed database in the order of its keys. Throws FileError. Throws
// DataError if the file is damaged, cut off, empty or of another kind of machine, or has named
// databases or several values per key.
std::vector<ValuePlace> IndexLmdb(const InputFile& file);

}  // namespace singa
