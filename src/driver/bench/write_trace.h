// WriteTrace writes the files that `singa bench -trace` and `-flame` name.
#pragma once

#include <string>
#include <vector>

#include "driver/bench/rank_trace.h"
#include "driver/bench/step_trace.h"

namespace singa {

// Writes TraceJson to the path `json`, and FlameSvg to the path `svg`; "": not wanted. `others`:
// traces of the processes from rank 1 on. Throws FileError.
void WriteTrace(const StepTrace& trace, const std::vector<RankTrace>& others,
                const std::string& json, const std::string& svg);

}  // namespace singa
