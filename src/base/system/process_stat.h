// ProcessStat has the parent and the start of a running process, from /proc.
#pragma once

#include <cstdint>
#include <optional>

namespace singa {

struct ProcessStat {
  int64_t parent = 0;  // id of the parent; 0: none, or one outside of this container
  int64_t start = 0;   // in clock ticks since boot; tells processes of the same id apart
};

// Returns none if there is no such process, or it has ended and waits for its parent, or it is
// hidden, or it cannot be read now (MayRun tells).
std::optional<ProcessStat> ReadProcessStat(int64_t pid);

// Returns whether the process of this id and start may run; true also if no descriptor or memory is
// left to check it. `start` < 0: any process of the id.
bool MayRun(int64_t pid, int64_t start);

}  // namespace singa
