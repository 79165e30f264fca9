// ProcessStat: parent and start of a running process, as /proc has them.
#pragma once

#include <cstdint>
#include <optional>

namespace singa {

struct ProcessStat {
  int64_t parent = 0;  // its id; 0: none, or one outside of this container
  int64_t start = 0;   // in clock ticks since boot: another process of this id has another
};

// None: there is no such process, or it has ended and waits for its parent, or it is hidden, or it
// cannot be read now (MayRun tells).
std::optional<ProcessStat> ReadProcessStat(int64_t pid);

// Whether the process of this id and start runs, as far as is known: also where no descriptor or
// memory is left to look at it. `start` < 0: any process of the id.
bool MayRun(int64_t pid, int64_t start);

}  // namespace singa
