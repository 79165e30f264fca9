// `singa bench F`: times the training steps of a job, layer by layer.
#pragma once

#include "driver/command/command_line.h"

namespace singa {

// Prints a table to stdout, or JSON objects with -json. Writes no file. Returns the exit code.
int BenchCommand(const CommandLine& line);

}  // namespace singa
