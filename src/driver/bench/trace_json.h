// TraceJson writes a step in the format of Chrome's traces, which Perfetto opens.
#pragma once

#include <string>

#include "driver/bench/step_trace.h"

namespace singa {

// Returns one JSON object, an event a line. Each worker has a track, on which events nest. Further
// tracks have updates of slices and gradients on their way; as many as overlap. Times are
// microseconds since the step began.
std::string TraceJson(const StepTrace& trace);

}  // namespace singa
