// `singa export onnx` writes the net of the test phase, with a checkpoint's params, to one file.
// `singa export tensorboard` writes rows of metrics to one.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the subcommand; `words` follow `singa export`. Returns the exit code. Throws Error.
int ExportCommand(const std::vector<std::string>& words);

}  // namespace singa
