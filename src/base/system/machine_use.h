// MachineUse tells how many cores of the machine other programs use, from /proc/stat.
#pragma once

#include <optional>
#include <string>

namespace singa {

// Processor time since the machine's start, in seconds.
struct MachineUse {
  int cores = 0;
  double busy = 0, idle = 0;  // of all cores
  double own = 0;             // of this process, in `busy`
};

// Returns none if the system does not tell. `root` is put before the path of the system's file;
// tests use it.
std::optional<MachineUse> ReadMachineUse(const std::string& root = "");

// Returns how many cores other programs used between two readings, from 0 to all cores.
double CoresOfOthers(const MachineUse& before, const MachineUse& after);

}  // namespace singa
