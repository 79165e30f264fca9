// Variables by which `singa` informs the processes that it starts.
#pragma once

namespace singa {

// RANK/PROCESSES/SECRETS/REPORT; the last two are descriptors. SECRETS can be read once, in the
// format of proto/README.md. Rank 0 writes lines to REPORT: HOST:PORT when it listens, and the
// words below. REPORT is -1 for other ranks.
constexpr char kProcessVariable[] = "SINGA_PROCESS";
// Rank 0 has loaded its values and set an earlier run aside.
constexpr char kBegunWord[] = "begun";
// All other processes have met rank 0.
constexpr char kMetWord[] = "met";
// Rank 0 has committed a checkpoint.
constexpr char kCommittedWord[] = "committed";
// HOST:PORT of rank 0, or where it must listen; then the port may be 0.
constexpr char kCoordinatorVariable[] = "SINGA_COORDINATOR";

// Number of the job's processes on this host with lower ranks; unset: none.
constexpr char kBeforeVariable[] = "SINGA_PROCESSES_BEFORE";

}  // namespace singa
