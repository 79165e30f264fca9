// NewStdinSource reads lines of numbers from stdin as they arrive.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/predict/record_source.h"
#include "io/store/store.h"

namespace singa {

// `lines`: separator, has_label, targets, header and label_column, as for a textfile. A line has
// `size` numbers. If has_label is true, and the first line has `targets` numbers more, each line
// has targets. If `targets` is 0, and the first line has one number more, each line has a label.
std::unique_ptr<RecordSource> NewStdinSource(const StoreOptions& lines, int64_t size);

}  // namespace singa
