// `singa data ...` makes, converts and describes stores of records.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the subcommand; `args` follow `singa data`. Returns the exit code. Throws Error(kExitUsage,
// ...) for wrong use, and the errors of reading and writing.
int DataCommand(const std::vector<std::string>& args);

}  // namespace singa
