// `singa ckpt ls|verify|export`: checkpoints on the command line.
#pragma once

#include <string>
#include <vector>

namespace singa {

// `args` follow "ckpt". Prints what is asked for to stdout and returns the exit code. Throws Error
// (kExitUsage: mistakes in `args`), FileError, DataError.
int CkptCommand(const std::vector<std::string>& args);

}  // namespace singa
