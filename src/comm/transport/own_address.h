// Which address of this machine a process listens on, so that the job's other processes reach it.
// Any thread may call.
#pragma once

#include <string>
#include <vector>

#include "comm/transport/endpoint.h"

namespace singa {

// Where the processes are that are to reach an address.
enum class Reach {
  kThisHost,    // all on this machine: loopback serves
  kUnknown,     // nobody says
  kOtherHosts,  // some on other machines: loopback is of no use
};

struct OwnAddress {
  std::string interface, host;
  bool operator==(const OwnAddress&) const = default;
};

// Addresses of the network interfaces of this machine: IPv4, then IPv6, then link-local ones.
std::vector<OwnAddress> OwnAddresses();

// As Resolve, to listen on: the host may be the name of a network interface, too, or "*".
//
// Debian's /etc/hosts says 127.0.1.1 for a machine's own name, where no other machine comes. So
// where others may have to, an address beyond loopback is preferred: one that the name has; else
// the one of the default route; else the only one. Throws Error, kExitConfig, where there is no
// such address, or several to choose from. Loopback that is asked for in so many words (an address,
// localhost, lo) is an error for kOtherHosts alone.
Endpoint ResolveOwn(const Endpoint& endpoint, Reach reach = Reach::kThisHost);

// Returns a text that is equal in all processes that reach each other by loopback, and in no
// others. Returns "" if the system does not tell.
std::string OwnNetwork();

}  // namespace singa
