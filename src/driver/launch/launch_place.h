// LaunchPlace: what this process is told of its job's processes by whoever started it: a supervisor
// (supervisor.h), or mpirun or srun.
//
// Under mpirun and srun the processes meet by files in the job's workspace, launch-<id> and
// launch-<id>.endpoint, which rank 0 leaves before it loads anything. Processes on several hosts
// need a workspace that all of them share, and cluster.coordinator, an address or interface of rank
// 0's host that the others reach: without it rank 0 listens on loopback. A missing coordinator is
// an error where the launcher says how many hosts.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file/descriptor.h"
#include "comm/security/keys.h"
#include "comm/transport/endpoint.h"
#include "comm/transport/own_address.h"
#include "driver/launch/launch_files.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct LaunchPlace {
  int rank = 0, processes = 1;
  JobSecrets secrets;  // of this rank
  // Where rank 0 is, or is to listen. None: this is rank 0, and it chooses a free port of loopback.
  std::optional<Endpoint> coordinator;
  bool one_host = false;           // rank 0: all processes are on this host, as far as is known
  Reach reach = Reach::kThisHost;  // where the processes are, as far as is known
  int before_here = 0;             // processes of the job on this host before this one, likewise
  bool supervised = false;         // whoever started it starts all again where one is lost

  // What follows does nothing where nobody asks. Of rank 0; each throws FileError.

  // Tells the others, or the supervisor, where it listens: before it loads, which may take long.
  void Report(const Endpoint& endpoint) const;
  // It has loaded what it trains, and an earlier run is set aside: from now on a restart by the
  // supervisor resumes.
  void Begun() const;
  // It has committed a checkpoint: earlier losses count no more.
  void Committed() const;
  // All have come together, so that nothing needs to be told any more.
  void Done();

  // Of others, which have not met rank 0: whether it has started anew, and has left other secrets
  // or another address than these.
  bool Outdated() const { return reader && reader->Replaced(); }
  // Takes those. Throws as FindLaunchPlace.
  void ReadAgain(const JobProto& job);

  Descriptor report;                          // to the supervisor, or none
  std::unique_ptr<LaunchFiles> files;         // of rank 0, or none
  std::unique_ptr<LaunchFilesReader> reader;  // of others, or none
  std::string path;                           // of the files
};

// Whether another program started this process as one of several. Throws Error, kExitUsage.
bool IsLaunched();

// None: a user started this process by hand. Waits for rank 0, under mpirun or srun: then throws
// PeerError where it has not come after cluster.start_timeout, Error with a signal's code where one
// has come (driver/job/interrupt.h). `processes`: as many as the job has;
// the launcher must have started as many. Takes what is told out of the environment: a child of
// this process must not find it. Throws Error: kExitUsage for variables that make no sense,
// kExitConfig for another number of processes; ConfigError relative to the JobProto; what reading
// the secrets throws. Not while other threads read the environment.
std::optional<LaunchPlace> FindLaunchPlace(const JobProto& job, int processes);

// Throws Error, kExitConfig, where mpirun or srun started this process as one of several: of a job
// of one process.
void CheckStartedOnce();

// cluster.coordinator; none: unset. Throws ConfigError relative to the JobProto, also for all
// addresses of a machine: whoever has the same job.conf could not tell which to take.
std::optional<Endpoint> CoordinatorOf(const JobProto& job);

}  // namespace singa
