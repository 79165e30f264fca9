// Backend "textfile" reads one record per line; blank lines are no records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file/input_file.h"
#include "io/format/value_parser.h"

namespace singa {

constexpr int64_t kMaxLineBytes = int64_t{1} << 26;

// Returns the bytes of the mark that Windows programs put before UTF-8 text; 0: there is none.
int64_t ByteOrderMark(std::string_view text);
// Returns the end of an error about the first line; "": the line is no header.
std::string HeaderAdvice(std::string_view line);

// Opens the store. With first_alone it looks only for the first record. Throws DataError if there
// is no line, or a line is too long. Errors of Read name file and line.
std::unique_ptr<Store> NewTextFileStore(InputFile file, std::unique_ptr<ValueParser> parser,
                                        bool first_alone = false);

}  // namespace singa
