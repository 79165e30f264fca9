// `singa predict ...` prints a trained net's predictions for records.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the subcommand; `args` follow `singa predict`. Returns the exit code. Throws Error.
int PredictCommand(const std::vector<std::string>& args);

}  // namespace singa
