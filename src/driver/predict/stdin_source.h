// Lines of numbers on stdin, read as they come.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "driver/predict/record_source.h"

namespace singa {

// Lines hold `size` numbers between separators; where the first has one more, and `labels`, each
// begins with a label.
std::unique_ptr<RecordSource> NewStdinSource(const std::string& separator, int64_t size,
                                             bool labels);

}  // namespace singa
