// NewStdinSource reads lines of numbers from stdin as they arrive.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/predict/record_source.h"
#include "io/store/store.h"

namespace singa {

// `lines`: separator, has_label, targets, header, label_column and class_names, as for a textfile.
// A line has `size` numbers. If the header, or without one the first line, has `targets` columns
// more, each line has targets; if `targets` is 0, and there is one column more, each line has a
// label. If has_label is false, these columns of a table with a header are left out.
std::unique_ptr<RecordSource> NewStdinSource(const StoreOptions& lines, int64_t size);

}  // namespace singa
