// TryNccl adds numbers up by NCCL, as the GPUs of a job do.
#pragma once

#include <string>

namespace singa {

// Adds a number of each GPU of this machine up, in a process of its own. Returns what goes wrong,
// or "", also if there are no GPUs. Takes at most 60 s. REQUIRES: this process has not used a GPU
// yet, since its copy could not use one then.
std::string TryNccl();

}  // namespace singa
