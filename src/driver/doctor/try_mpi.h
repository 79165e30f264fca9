// TryMpi sends a message by Open MPI, as the processes of a job do.
#pragma once

#include <string>

namespace singa {

// Starts MPI, sends a message to the next rank, and ends MPI, in a process of its own. The ranks
// are those that mpirun has started; without mpirun there is one, which sends to itself. Returns
// what goes wrong, or "". Takes at most 20 s. REQUIRES: MpiWorld::Available.
std::string TryMpi();

}  // namespace singa
