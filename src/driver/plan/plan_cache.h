// The plan cache keeps small texts in a folder of the user, $XDG_CACHE_HOME/singa/plan or
// ~/.cache/singa/plan, between runs of the program.
#pragma once

#include <optional>
#include <string>

#include "driver/plan/part_times.h"

namespace singa {

// Returns a hash of all that the times of a step depend on.
std::string KeyOf(const PartRequest& request);

// Returns text that differs for another build of the program and another CPU.
std::string BuildAndCpu();

// Returns none if there is no such text, or it is larger than any that is written.
std::optional<std::string> ReadPlanCache(const std::string& name);

// Without a folder that can be written, nothing is kept.
void WritePlanCache(const std::string& name, const std::string& text);

}  // namespace singa
