// SIGTERM and SIGINT ask a running job to commit a checkpoint and end; a second SIGINT ends it at
// once.
#pragma once

#include "singa/base/error.h"

namespace singa {

// Handles both signals from now on, for the whole process.
void HandleInterrupts();
// The exit code that the signal received asks for; kExitOk: none came.
ExitCode InterruptCode();

}  // namespace singa
