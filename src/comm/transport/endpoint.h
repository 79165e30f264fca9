// Endpoint is the tcp address where a process of a job listens. Other protocols are not supported.
// Any thread may call these functions.
#pragma once

#include <string>
#include <vector>

struct sockaddr;

namespace singa {

struct Endpoint {
  // A name or an address, IPv6 without brackets; "*": all addresses of this machine.
  std::string host;
  int port = 0;  // 0: the system chooses one

  bool operator==(const Endpoint&) const = default;
};

// Parses HOST:PORT or tcp://HOST:PORT, with an IPv6 address in brackets; PORT may be "*". Throws
// ConfigError with an empty path.
Endpoint ParseEndpoint(const std::string& text);
// Returns HOST:PORT, which ParseEndpoint reads.
std::string ToString(const Endpoint& endpoint);

bool IsNumeric(const Endpoint& endpoint);
bool IsIpv6(const Endpoint& endpoint);
// REQUIRES: IsNumeric(endpoint).
bool IsLoopback(const Endpoint& endpoint);
// Returns whether the host stands for all addresses of this machine: "*", 0.0.0.0 or [::].
bool IsWildcard(const Endpoint& endpoint);

// Replaces the host name by its address, IPv4 if it has one. May ask a name server and wait for it.
// Throws Error with kExitConfig if the name has no address.
Endpoint Resolve(const Endpoint& endpoint);
// Returns all addresses of the name, IPv4 first; there is at least one. Throws as Resolve does.
std::vector<Endpoint> ResolveAll(const Endpoint& endpoint);
// Returns whether Resolve finds an address. The name of another machine's network interface has
// none.
bool HasAddress(const Endpoint& endpoint);
// Returns the text of an IPv4 or IPv6 address; a link-local one includes its interface.
std::string NumericHost(const sockaddr* address);

// Returns the address, with port 0, that a connection to `peer` would have here. Sends nothing.
// Throws Error if no network leads there. REQUIRES: IsNumeric(peer).
Endpoint LocalAddressToward(const Endpoint& peer);

}  // namespace singa
