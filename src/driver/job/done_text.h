// DoneText makes the last line that a training shows.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/workers/worker_groups.h"

namespace singa {

// Returns the line of a training that is done after step `steps`. `before`: the step that it began
// with. `test`: the metrics of the last test; "": there was none.
std::string DoneText(WorkerGroups* groups, int64_t before, int64_t steps, double seconds,
                     const std::string& test);

}  // namespace singa
