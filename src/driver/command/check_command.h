// `singa check F` and `singa graph F`: a job looked at without running it.
#pragma once

#include "driver/command/command_line.h"

namespace singa {

// Prints the layers with types, shapes and params, and the totals, to stdout; with -v the kernels
// that each layer got. Returns the exit code.
int CheckCommand(const CommandLine& line);
// Prints the net as DOT, or with -svg as the picture that Graphviz makes of it.
int GraphCommand(const CommandLine& line);

}  // namespace singa
