// Counts and raises the number of files that this process may open.
#pragma once

#include <cstdint>

namespace singa {

// Raises the soft limit (RLIMIT_NOFILE) to the hard one, and returns the new limit.
int64_t RaiseFileLimit();

// Returns the number of descriptors that this process has open now.
int64_t OpenFiles();

}  // namespace singa
