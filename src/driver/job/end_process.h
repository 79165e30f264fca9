// How a process ends one of whose threads does not come back.
#pragma once

#include <string>

#include "driver/job/run_job.h"

namespace singa {

// Says `error`, where no other process of the job does, and ends the process with its code: nobody
// could join that thread. Any thread may call.
[[noreturn]] void EndProcess(const RunOptions& options, const Error& error);
// With kExitStalled.
[[noreturn]] void EndStalled(const RunOptions& options, const std::string& text);

}  // namespace singa
