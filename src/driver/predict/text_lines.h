// OpenText opens lines of numbers that `singa predict` reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "driver/predict/match_columns.h"
#include "io/store/store.h"

namespace singa {

// Opens lines of `size` numbers with the settings of the training data. Columns are found by their
// names where MatchColumns can. Else lines of CSV have labels, or targets, if FitTable finds them
// in the header or in the first lines.
std::unique_ptr<Store> OpenText(const std::string& backend, StoreOptions store, int64_t size,
                                const TrainedTable& trained);

}  // namespace singa
