// NewStdinSource reads lines of numbers from stdin as they arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "driver/predict/record_source.h"

namespace singa {

// Lines have `size` numbers between separators. If the first line has `targets` numbers more, and
// `labels` is true, each line begins with so many targets. If `targets` is 0 and the first line has
// one number more, each line begins with a label.
std::unique_ptr<RecordSource> NewStdinSource(const std::string& separator, int64_t size,
                                             bool labels, int64_t targets = 0);

}  // namespace singa
