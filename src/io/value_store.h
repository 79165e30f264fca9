// A store whose values lie at known places of one file.
#pragma once

#include <memory>
#include <vector>

#include "base/input_file.h"
#include "io/scan_window.h"
#include "io/value_parser.h"

namespace singa {

constexpr int64_t kMaxValueBytes = int64_t{1} << 28;  // a larger value is damage

// REQUIRES: at least one value; all lie in the file.
std::unique_ptr<Store> NewValueStore(InputFile file, std::vector<ValuePlace> values,
                                     std::unique_ptr<ValueParser> parser);

}  // namespace singa
