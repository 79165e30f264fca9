// Describes the system's limits on threads, processes and memory for the messages of errors.
#pragma once

#include <string>

#include "singa/base/error.h"

namespace singa {

// Returns the limits of this process, each with its value and the way to raise it, such as "64
// processes and threads of this user (RLIMIT_NPROC, `ulimit -u`)".
std::string SystemLimits(const std::string& root = "");

// Returns the error, of kExitCantCreate, that `what` ("a thread") cannot be started. error: errno.
Error CannotStart(const std::string& what, int error);

// Returns "out of memory", with the limits of this process (RLIMIT_AS, RLIMIT_DATA) and of the
// control group.
std::string OutOfMemoryText(const std::string& root = "");

}  // namespace singa
