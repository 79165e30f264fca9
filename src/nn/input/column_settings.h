// Checks StoreProto.columns.
#pragma once

#include <vector>

#include "io/store/store.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Returns what `conf` says about columns of CSV. Throws ConfigError, relative to `conf`, for a
// description that cannot be used.
std::vector<TableColumn> ColumnsIn(const StoreProto& conf);

}  // namespace singa
