// WriteTrace writes the files that `singa bench -trace` and `-flame` name.
#pragma once

#include <string>

#include "driver/bench/step_trace.h"

namespace singa {

// Writes TraceJson to the path `json`, and FlameSvg to the path `svg`; "": not wanted. Throws
// FileError.
void WriteTrace(const StepTrace& trace, const std::string& json, const std::string& svg);

}  // namespace singa
