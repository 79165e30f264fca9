// `singa export onnx`: the net of the test phase with a checkpoint's params, as one file.
#pragma once

#include "driver/command_line.h"

namespace singa {

// Returns the exit code. Throws Error.
int ExportCommand(const CommandLine& line);

}  // namespace singa
