// Backend "textfile": a record a line; blank lines are none.
#pragma once

#include <memory>

#include "base/file/input_file.h"
#include "io/format/value_parser.h"

namespace singa {

constexpr int64_t kMaxLineBytes = int64_t{1} << 26;

// first_alone: looks for no second record. Throws DataError: no line, or a line that is too long.
// Errors of Read name file and line.
std::unique_ptr<Store> NewTextFileStore(InputFile file, std::unique_ptr<ValueParser> parser,
                                        bool first_alone = false);

}  // namespace singa
