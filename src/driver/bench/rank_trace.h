// RankTrace is the trace of one process of a job in a step. Each process sends its own to rank 0,
// which writes all to one file.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "driver/bench/step_trace.h"

namespace singa {

struct RankTrace {
  std::string host;  // its name
  // Names the clock: times of processes with the same one can be compared. "": not known.
  std::string clock;
  int64_t begin = 0;  // of the step, in nanoseconds of the clock
  // Events of Chrome's format. Times are microseconds since `begin`. Empty: nothing was recorded.
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
};

// Returns the trace of a step of this process, whose clock is the steady one.
RankTrace RankTraceOf(const StepTrace& trace);

std::string ToText(const RankTrace& trace);
// Returns the trace of process `rank` from a result of ToText; "" has no events. Throws DataError.
RankTrace ParseRankTrace(const std::string& text, int rank);

}  // namespace singa
