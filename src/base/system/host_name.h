// HostName tells the name of this machine, or of this container.
#pragma once

#include <string>

namespace singa {

// Returns the name, of 64 bytes at most, or "unknown-host" if the system tells none.
std::string HostName();

}  // namespace singa
