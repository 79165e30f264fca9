// Any exception as an error of the program's table of exit codes.
#pragma once

#include "singa/base/error.h"

namespace singa {

// The exception that is being handled: an Error keeps its code and text, std::bad_alloc becomes
// kExitNoDevice with the limits of memory, and any other is a bug of the program.
// REQUIRES: called in a catch clause.
Error CaughtError();

}  // namespace singa
