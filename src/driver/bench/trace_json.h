// TraceJson writes a step in the format of Chrome's traces, which Perfetto opens.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "driver/bench/rank_trace.h"
#include "driver/bench/step_trace.h"

namespace singa {

// Returns the events of one process. Each worker has a track, on which events nest. Further tracks
// have updates of slices and gradients on their way; as many as overlap. Times are microseconds
// since the step began.
nlohmann::ordered_json TraceEvents(const StepTrace& trace);

// Returns one JSON object, an event a line, with the processes of a job by rank; at least one.
// Times are microseconds since the step began at rank 0. If a process has another clock than rank
// 0, its step is put where rank 0's begins, and its name says so.
std::string TraceJson(const std::vector<RankTrace>& ranks);

}  // namespace singa
