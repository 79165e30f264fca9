// `singa check F` and `singa graph F` show a job without running it.
#pragma once

#include "driver/command/command_line.h"

namespace singa {

// Prints the layers with types, shapes and params, and the totals, to stdout; with -v also each
// layer's kernels. Returns the exit code.
int CheckCommand(const CommandLine& line);
// Prints the net as DOT, or with -svg as the picture that Graphviz makes of it. Returns the exit
// code.
int GraphCommand(const CommandLine& line);

}  // namespace singa
