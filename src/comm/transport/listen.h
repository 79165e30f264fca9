// The socket that a process listens on.
#pragma once

#include "base/file/descriptor.h"
#include "comm/transport/endpoint.h"

namespace singa {

// Listens on `own`; port 0: the system chooses, and `own` has its choice then. Throws Error: 73
// where the port is in use or the system has no more sockets, 77 without permission, 78 for an
// address that is not this machine's. REQUIRES: IsNumeric(*own).
Descriptor Listen(Endpoint* own);

}  // namespace singa
