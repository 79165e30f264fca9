// ReadRows reads the rows of a metrics.jsonl.
#pragma once

#include <functional>
#include <string>

#include "io/metrics/metrics_sink.h"

namespace singa {

// Calls `use` with each row and its time, in seconds since 1970. Lines that are no rows are left
// out. Throws FileError.
void ReadRows(const std::string& path, const std::function<void(const MetricsRow&, double)>& use);

}  // namespace singa
