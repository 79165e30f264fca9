// ReadRows reads the rows of a metrics.jsonl.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/metrics/metrics_sink.h"

namespace singa {

// Bytes. A longer line is no row, as only another program writes one.
inline constexpr int64_t kMostRowBytes = int64_t{1} << 20;

// Calls `use` with each row and its time, in seconds since 1970. Lines that are no rows are left
// out. Throws FileError.
void ReadRows(const std::string& path, const std::function<void(const MetricsRow&, double)>& use);

}  // namespace singa
