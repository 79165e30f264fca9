// What mpirun and srun tell the processes that they start, by their environment.
#pragma once

#include <optional>
#include <string>

namespace singa {

struct LauncherRank {
  int rank = 0, processes = 1;
  std::string source;   // the variables that say it: "OMPI_COMM_WORLD_SIZE"
  int before_here = 0;  // processes of the job on this host with lower ranks, where it says so
  // Of this start of the job, the same in all its processes: letters, digits, '.' and '-'.
  std::string id;
  bool one_host = false, several_hosts = false;  // where the launcher says so
};

// Of Open MPI, PMI (MPICH and others) or Slurm; none where nobody started several processes.
// Throws Error, kExitUsage, for a variable that makes no sense.
std::optional<LauncherRank> FindLauncherRank();

// The variable that holds this process's rank, where the launcher lives as long as the processes
// that it starts, one or more of them; null: nobody started it so. Who sets PMI's variables by
// hand, or a container's, need not live: MPICH and Slurm also name a way to reach them.
const char* LivingLauncherVariable();

// All of `text` as a number of `least` to `most`; none: it is not.
std::optional<int> ParseInteger(const std::string& text, int least, int most);

}  // namespace singa
