// SplitData is the command `singa data split`.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the command with the words behind "split". Returns the exit code.
int SplitData(const std::vector<std::string>& words);

}  // namespace singa
