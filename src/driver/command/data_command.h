// `singa data ...`: makes, converts and describes stores of records.
#pragma once

#include <string>
#include <vector>

namespace singa {

// `args`: what follows `singa data`. Returns the exit code. Throws Error(kExitUsage, ...) for a
// wrong use, and what reading and writing throw.
int DataCommand(const std::vector<std::string>& args);

}  // namespace singa
