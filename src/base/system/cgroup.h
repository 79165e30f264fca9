// Limits of the control group that this process is in, versions 1 and 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace singa {

// Cores that it may use, such as 1.5; nothing: no limit.
std::optional<double> CgroupCores(const std::string& root = "");
// Cores of the machine that this process may run on: its affinity, as taskset, cpusets, Slurm and
// mpirun --bind-to set it.
int AffinityCores();
// Threads that it lets run at once of `cores`: whole ones, at least 1.
int UsableCores(int cores = AffinityCores(), const std::string& root = "");
// Bytes of memory; nothing: no limit, or one that is larger than any machine.
std::optional<int64_t> CgroupMemory(const std::string& root = "");
// Bytes of those that it uses.
std::optional<int64_t> CgroupMemoryUsed(const std::string& root = "");

// Processes of it that the system has killed for lack of memory; where it does not say: of the
// machine. Nothing: nobody counts them.
std::optional<int64_t> OutOfMemoryKills(const std::string& root = "");

// Processes and threads that it may have, and has.
struct PidsLimit {
  int64_t most = 0, used = 0;
};
// Returns the limit of the process's group, or of a group above it, that leaves room for the fewest
// new processes. Returns nothing if no group has a limit.
std::optional<PidsLimit> CgroupPids(const std::string& root = "");

}  // namespace singa
