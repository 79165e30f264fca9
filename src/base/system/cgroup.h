// Reads the limits of this process's control group, versions 1 and 2. `root` is put before the
// paths of the system's files; tests use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace singa {

// Returns the cores that the group may use, such as 1.5; none: no limit.
std::optional<double> CgroupCores(const std::string& root = "");
// Returns the group's limit of memory in bytes; none: no limit, or one that is larger than any
// machine.
std::optional<int64_t> CgroupMemory(const std::string& root = "");
// Returns the bytes of memory that the group uses.
std::optional<int64_t> CgroupMemoryUsed(const std::string& root = "");

// Returns the number of the group's processes, or else of the machine's, that the system has killed
// for lack of memory; none: the system does not count them.
std::optional<int64_t> OutOfMemoryKills(const std::string& root = "");

// The most processes and threads of a group, and those that it has.
struct PidsLimit {
  int64_t most = 0, used = 0;
};
// Returns the limit of the process's group, or of a group above it, that leaves room for the fewest
// new processes. Returns none if no group has a limit.
std::optional<PidsLimit> CgroupPids(const std::string& root = "");

}  // namespace singa
