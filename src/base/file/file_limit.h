// How many files a process may have open.
#pragma once

#include <cstdint>

namespace singa {

// Raises the soft limit (RLIMIT_NOFILE) to the hard one, and returns what it is then.
int64_t RaiseFileLimit();

// Descriptors of this process that are open now.
int64_t OpenFiles();

}  // namespace singa
