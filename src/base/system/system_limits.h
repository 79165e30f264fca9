// The system's limits on threads, processes and memory, in words for the user who met one.
#pragma once

#include <string>

#include "singa/base/error.h"

namespace singa {

// The limits of this process that are set, each with its value and what raises it, such as "64
// processes and threads of this user (RLIMIT_NPROC, `ulimit -u`)".
std::string SystemLimits(const std::string& root = "");

// `what` ("a thread") could not be started, by the value of errno. kExitCantCreate.
Error CannotStart(const std::string& what, int error);

// "out of memory", with the limits of this process (RLIMIT_AS, RLIMIT_DATA) and the control
// group's.
std::string OutOfMemoryText(const std::string& root = "");

}  // namespace singa
