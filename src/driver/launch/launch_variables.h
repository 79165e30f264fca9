// What `singa` tells the processes that it starts, by their environment.
#pragma once

namespace singa {

// RANK/PROCESSES/SECRETS/REPORT: the last two are descriptors. SECRETS can be read once, in the
// format of proto/README.md. Rank 0 writes the line HOST:PORT to REPORT when it listens; to all
// others it is -1.
constexpr char kProcessVariable[] = "SINGA_PROCESS";
// HOST:PORT where rank 0 is, or is to listen: then the port may be 0.
constexpr char kCoordinatorVariable[] = "SINGA_COORDINATOR";

}  // namespace singa
