// `singa new job DATA DIR` makes a job that learns from a user's own data.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Runs the command with the words behind "new", of which "job" is the first. Returns the exit code.
// Throws Error.
int NewJob(const std::vector<std::string>& words);

}  // namespace singa
