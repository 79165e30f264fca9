// How a process ends one of whose threads stands still.
#pragma once

#include <string>

#include "driver/job/run_job.h"

namespace singa {

// Says it, where no other process of the job does, and ends the process with kExitStalled: nobody
// could join that thread. Any thread may call.
[[noreturn]] void EndStalled(const RunOptions& options, const std::string& text);

}  // namespace singa
