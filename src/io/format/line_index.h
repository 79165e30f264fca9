// IndexLines finds the lines of a text, each of which is a record.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/input_file.h"
#include "io/format/scan_window.h"

namespace singa {

constexpr int64_t kMaxLineBytes = int64_t{1} << 26;

// Returns the bytes of the mark that Windows programs put before UTF-8 text; 0: there is none.
int64_t ByteOrderMark(std::string_view text);

// Returns the number, from 1, of the line at `offset`. It reads the file up to there.
int64_t LineAt(const InputFile& file, int64_t offset);

// Returns the places of the first `most` lines that are not blank, without their ends. A line of
// `separators` alone is blank, too. Throws DataError for text in UTF-16, and for a line of more
// than kMaxLineBytes.
std::vector<ValuePlace> IndexLines(const InputFile& file,
                                   int64_t most = std::numeric_limits<int64_t>::max(),
                                   const std::string& separators = "");

}  // namespace singa
