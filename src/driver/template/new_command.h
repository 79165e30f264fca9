// `singa new layer NAME DIR` and `singa new job DATA DIR` write files to begin with.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the subcommand; `words` follow `singa new`. Returns the exit code. Throws Error.
int NewCommand(const std::vector<std::string>& words);

}  // namespace singa
