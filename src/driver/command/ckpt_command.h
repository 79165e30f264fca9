// `singa ckpt ls|verify|export` lists, checks and converts checkpoints.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the subcommand; `args` follow "ckpt". Prints the result to stdout and returns the exit code.
// Throws Error (kExitUsage: mistakes in `args`), FileError, DataError.
int CkptCommand(const std::vector<std::string>& args);

}  // namespace singa
