// What `singa` tells the processes that it starts, by their environment.
#pragma once

namespace singa {

// RANK/PROCESSES/SECRETS/REPORT: the last two are descriptors. SECRETS can be read once, in the
// format of proto/README.md. Rank 0 writes lines to REPORT: HOST:PORT when it listens, and what
// follows; to all others it is -1.
constexpr char kProcessVariable[] = "SINGA_PROCESS";
// It has loaded what it trains, and has set an earlier run aside.
constexpr char kBegunWord[] = "begun";
// All others have come.
constexpr char kMetWord[] = "met";
// It has committed a checkpoint.
constexpr char kCommittedWord[] = "committed";
// HOST:PORT where rank 0 is, or is to listen: then the port may be 0.
constexpr char kCoordinatorVariable[] = "SINGA_COORDINATOR";

// How many of the job's processes are on this host before this one; unset: none.
constexpr char kBeforeVariable[] = "SINGA_PROCESSES_BEFORE";

}  // namespace singa
