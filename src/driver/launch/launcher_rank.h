// LauncherRank is what mpirun and srun tell the processes that they start, by their environment.
#pragma once

#include <optional>
#include <string>

namespace singa {

struct LauncherRank {
  int rank = 0, processes = 1;
  std::string source;   // the variable with the number of processes: "OMPI_COMM_WORLD_SIZE"
  int before_here = 0;  // processes of the job on this host with lower ranks, if known
  // Id of this start of the job, the same in all its processes: letters, digits, '.' and '-'.
  std::string id;
  std::string why_mpi;  // why Open MPI finds the other processes; "": it does not
  bool one_host = false, several_hosts = false;  // both false: the launcher does not say
};

// Reads the variables of Open MPI, PMI (MPICH and others) or Slurm. Returns nullopt if no launcher
// started several processes. Throws Error, kExitUsage, for a wrong variable.
std::optional<LauncherRank> FindLauncherRank();

// Leaves a subcommand that is for one process to rank 0 of a launcher. Rank 0 prints a line.
// Returns true in the other ranks. They end at once with 0 and print nothing, so the launcher
// returns rank 0's exit code. mpirun and srun wait for all processes; mpirun returns the first code
// that is not 0, srun the largest. A Job of Kubernetes fails if one of its pods fails. The ranks
// cannot wait for rank 0's code: `data` and `ckpt` have no workspace to meet in, and `check` and
// `graph` make none.
bool LeaveToRank0(const std::string& subcommand);

// Returns the variable with this process's rank if a launcher started it, alone or with others,
// that lives as long as its processes; else null. A script or a container may set PMI's variables
// and end, so one of MPICH's or Slurm's variables with a way to reach the launcher must be set,
// too.
const char* LivingLauncherVariable();

// Returns `text` as a number from `least` to `most`; nullopt: it is none.
std::optional<int> ParseInteger(const std::string& text, int least, int most);

}  // namespace singa
