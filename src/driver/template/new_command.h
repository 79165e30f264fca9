// `singa new layer NAME DIR` writes a CMake project of a plugin with one layer.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the subcommand; `words` follow `singa new`. Returns the exit code. Throws Error.
int NewCommand(const std::vector<std::string>& words);

}  // namespace singa
