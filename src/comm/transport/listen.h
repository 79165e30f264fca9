// Listen makes the socket that a process listens on.
#pragma once

#include "base/system/descriptor.h"
#include "comm/transport/endpoint.h"

namespace singa {

// Listens on `own`. For port 0 the system chooses a port, and Listen writes it to `own`. Throws
// Error: 73 if the port is in use or the system has no more sockets, 77 without permission, 78 if
// the address is not this machine's. REQUIRES: IsNumeric(*own).
Descriptor Listen(Endpoint* own);

}  // namespace singa
