// `singa new layer NAME DIR` writes a CMake project of a plugin with one layer.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the command with the words behind "new", of which "layer" is the first. Returns the exit
// code. Throws Error.
int NewLayer(const std::vector<std::string>& words);

}  // namespace singa
