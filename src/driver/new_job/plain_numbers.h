// RequirePlainNumbers finds columns of numbers that are written as in a spreadsheet.
#pragma once

#include <string>

#include "driver/new_job/table_layout.h"

namespace singa {

// Throws DataError if a column that is not left out has more numbers than words, and some of them
// have signs that are not read, such as "$1,234.5". They would be taken for words. Throws
// FileError.
void RequirePlainNumbers(const std::string& path, const TableLayout& layout);

}  // namespace singa
