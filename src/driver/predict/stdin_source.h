// NewStdinSource reads lines of numbers from stdin as they arrive.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/predict/match_columns.h"
#include "driver/predict/record_source.h"
#include "io/store/store.h"

namespace singa {

// `lines`: separator, has_label, targets, header, label_column, class_names and columns, as for a
// textfile. A line gives `size` numbers. Its columns are found by the names of a header where
// MatchColumns can. Else FitTable finds out, by the header or by the first line, whether lines have
// the label or the targets.
std::unique_ptr<RecordSource> NewStdinSource(const StoreOptions& lines, int64_t size,
                                             const TrainedTable& trained = {});

}  // namespace singa
