// HostName: what people call this machine, or this container.
#pragma once

#include <string>

namespace singa {

// Linux allows 64 bytes. Returns "unknown-host" if the system tells no name.
std::string HostName();

}  // namespace singa
