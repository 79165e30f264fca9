// LaunchPlace holds what the program that started this process tells it of its job's processes.
// That is a supervisor (supervisor.h), mpirun or srun.
//
// Under mpirun and srun the processes meet by files in the job's workspace, launch-<id> and
// launch-<id>.endpoint, which rank 0 writes before it loads anything. Processes on several hosts
// need a shared workspace and cluster.coordinator, an address or interface of rank 0's host that
// the others reach. Without it rank 0 listens on loopback, and if the launcher reports several
// hosts, that is an error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/system/descriptor.h"
#include "comm/security/keys.h"
#include "comm/transport/endpoint.h"
#include "comm/transport/own_address.h"
#include "driver/launch/launch_files.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct LaunchPlace {
  int rank = 0, processes = 1;
  JobSecrets secrets;  // secrets of this rank
  // Address of rank 0, or where it must listen. Not set: this is rank 0, and it chooses a free port
  // of loopback.
  std::optional<Endpoint> coordinator;
  bool one_host = false;           // for rank 0: all processes are on this host, as far as is known
  Reach reach = Reach::kThisHost;  // where the processes are, as far as is known
  // Why Open MPI can be used, such as that its mpirun has started the job; "": it cannot. Then
  // why_not_mpi may say why its library cannot be used.
  std::string why_mpi = {}, why_not_mpi = {};
  int before_here = 0;  // processes of the job on this host with lower ranks, as far as is known
  bool supervised = false;  // a supervisor started it, and restarts all if a process is lost

  // Rank 0 calls the following functions. They do nothing if nobody waits for the report. Each
  // throws FileError.

  // Reports where rank 0 listens. Called before it loads, which may take long.
  void Report(const Endpoint& endpoint) const;
  // Reports that rank 0 has loaded its values and set an earlier run aside. From now on a restart
  // by the supervisor resumes.
  void Begun() const;
  // Reports a committed checkpoint, after which earlier losses do not count.
  void Committed() const;
  // Reports that all processes have met, and removes the files.
  void Done();

  // For other ranks before they have met rank 0: returns whether rank 0 has started anew, with
  // other secrets or another address.
  bool Outdated() const { return reader && reader->Replaced(); }
  // Reads the new secrets and address. Throws the errors of FindLaunchPlace.
  void ReadAgain(const JobProto& job);

  Descriptor report;                          // pipe to the supervisor, or none
  std::unique_ptr<LaunchFiles> files;         // only of rank 0; else null
  std::unique_ptr<LaunchFilesReader> reader;  // only of other ranks; else null
  std::string path;                           // path of the files
};

// Returns whether another program started this process as one of several. Throws Error, kExitUsage.
bool IsLaunched();

// Returns the place of this process; nullopt: a user started it by hand. `processes` is the job's
// number of processes; the launcher must have started as many. Under mpirun or srun it blocks until
// rank 0 has come. Then it throws PeerError after cluster.start_timeout, and Error with a signal's
// code if one comes (driver/signals/interrupt.h). It removes its variables from the environment,
// which children of this process must not see. Throws Error (kExitUsage for wrong variables),
// ConfigError relative to the JobProto, and the errors of reading the secrets. REQUIRES: no other
// thread reads the environment.
std::optional<LaunchPlace> FindLaunchPlace(const JobProto& job, int processes);

// For a job of one process: throws ConfigError if mpirun or srun started several.
void CheckStartedOnce();

// Returns cluster.coordinator, if it is set. Throws ConfigError relative to the JobProto, also if
// it means all addresses of a machine, as other processes could not know which to use.
std::optional<Endpoint> CoordinatorOf(const JobProto& job);

}  // namespace singa
