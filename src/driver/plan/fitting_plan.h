// FittingPlan takes a plan that fits by its exact memory, which a search only estimates.
#pragma once

#include <cstdint>
#include <functional>

#include "nn/cost/plan_search.h"

namespace singa {

// Returns `search` with a best plan that fits: its exact memory is at most `most_bytes`. The plan
// is one of `search`, else the fastest one of `front` and data parallelism. Without a best plan
// none of these fits. `exact` is false if another plan may fit and be faster. `bytes_of`: the exact
// memory of a worker.
SearchResult FittingPlan(SearchResult search, const CostNet& net, const PlanFront& front,
                         int64_t most_bytes,
                         const std::function<int64_t(const Layouts&)>& bytes_of);

}  // namespace singa
