// `singa predict ...`: what a trained net says of records.
#pragma once

#include <string>
#include <vector>

namespace singa {

// `args`: what follows `singa predict`. Returns the exit code. Throws Error.
int PredictCommand(const std::vector<std::string>& args);

}  // namespace singa
