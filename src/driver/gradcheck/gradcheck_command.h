// `singa gradcheck` compares the gradients of a job's layers with differences of their features.
#pragma once

#include <string>
#include <vector>

namespace singa {

// `args` are those after "gradcheck". Returns an exit code.
int GradcheckCommand(const std::vector<std::string>& args);

}  // namespace singa
