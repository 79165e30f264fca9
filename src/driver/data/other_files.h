// RequireOtherFiles checks the files that a command of `singa data` reads and writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/arguments/arguments.h"

namespace singa {

// Throws if a file would be written twice, or overwritten while it is read. `files`: the name of
// each in the command, and its path; "": it was not given.
void RequireOtherFiles(const Arguments& args,
                       const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace singa
