// These functions tell the name of this machine, or of this container, and identify its last boot.
#pragma once

#include <string>

namespace singa {

// Returns the name, of 64 bytes at most, or "unknown-host" if the system tells none.
std::string HostName();
// Returns the kernel's name for the last start of this machine; "" if the system tells none.
std::string BootId();

}  // namespace singa
