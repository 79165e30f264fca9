// `singa export onnx`: the net of the test phase with a checkpoint's params, as one file.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Returns the exit code. Throws Error.
int ExportCommand(const std::vector<std::string>& words);

}  // namespace singa
