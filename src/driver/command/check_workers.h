// PrintWorkers shows the workers of a group: the layers that they divide by units, and the memory
// of each.
#pragma once

#include <cstdint>
#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

// Returns bytes for people: "1.50 MiB".
std::string MiB(int64_t bytes);

// Prints nothing for a group of one worker. Memory of servers is not counted. Throws ConfigError
// relative to the JobProto.
void PrintWorkers(const JobProto& job);

}  // namespace singa
