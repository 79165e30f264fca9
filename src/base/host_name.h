// HostName: what people call this machine, or this container.
#pragma once

#include <string>

namespace singa {

// Of at most 64 bytes on Linux; "unknown-host" where the system tells none.
std::string HostName();

}  // namespace singa
