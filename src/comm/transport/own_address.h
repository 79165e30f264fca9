// Finds the address of this machine to listen on, so that the job's other processes reach it. Any
// thread may call these functions.
#pragma once

#include <string>
#include <vector>

#include "comm/transport/endpoint.h"

namespace singa {

// Says where the processes run that have to reach an address.
enum class Reach {
  kThisHost,    // all on this machine: loopback serves
  kUnknown,     // not known
  kOtherHosts,  // some on other machines: loopback is of no use
};

struct OwnAddress {
  std::string interface, host;
  bool operator==(const OwnAddress&) const = default;
};

// Returns the addresses of the network interfaces of this machine: IPv4, then IPv6, then link-local
// ones.
std::vector<OwnAddress> OwnAddresses();

// Resolves an endpoint to listen on. The host may also be the name of a network interface, or "*".
//
// Debian's /etc/hosts maps a machine's own name to 127.0.1.1, which no other machine reaches. If
// others may have to reach it, an address beyond loopback is preferred: one that the name has; else
// the one of the default route; else the only one. Throws Error with kExitConfig if there are
// several to choose from, or, for kOtherHosts, none. Explicit loopback (an address, localhost, lo)
// is an error for kOtherHosts alone.
Endpoint ResolveOwn(const Endpoint& endpoint, Reach reach = Reach::kThisHost);

// Returns a text that is equal in all processes that reach each other by loopback, and in no
// others. Returns "" if the system does not tell.
std::string OwnNetwork();

}  // namespace singa
