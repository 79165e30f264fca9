// CaughtError turns any exception into an error with one of the program's exit codes.
#pragma once

#include "singa/base/error.h"

namespace singa {

// Returns the error of the exception that is being handled. An Error keeps its code and text,
// std::bad_alloc becomes kExitNoDevice with the limits of memory, and any other is a bug of the
// program. REQUIRES: called in a catch clause.
Error CaughtError();

}  // namespace singa
