// Endpoint: where a process of a job can be reached by tcp, or listens. No other transport is
// known. Any thread may call.
#pragma once

#include <string>
#include <vector>

struct sockaddr;

namespace singa {

struct Endpoint {
  std::string host;  // a name or an address, IPv6 without brackets; "*": all of this machine's
  int port = 0;      // 0: the system chooses one

  bool operator==(const Endpoint&) const = default;
};

// HOST:PORT or tcp://HOST:PORT, an IPv6 address in brackets; PORT may be "*". Throws ConfigError
// with an empty path.
Endpoint ParseEndpoint(const std::string& text);
// HOST:PORT, which ParseEndpoint reads.
std::string ToString(const Endpoint& endpoint);

bool IsNumeric(const Endpoint& endpoint);
bool IsIpv6(const Endpoint& endpoint);
// REQUIRES: IsNumeric(endpoint).
bool IsLoopback(const Endpoint& endpoint);
// Any address of this machine: 0.0.0.0 or [::].
bool IsWildcard(const Endpoint& endpoint);

// With the address, IPv4 where there is one, in place of the name. May ask a name server and wait
// for it. Throws Error, kExitConfig, for a name that has none.
Endpoint Resolve(const Endpoint& endpoint);
// All its addresses, IPv4 first: not empty. Throws as Resolve.
std::vector<Endpoint> ResolveAll(const Endpoint& endpoint);
// Whether that finds one: another machine's network interface has none here.
bool HasAddress(const Endpoint& endpoint);
// The text of an IPv4 or IPv6 address; a link-local one has its interface.
std::string NumericHost(const sockaddr* address);

// The address of this machine that a connection to `peer` would have; its port is 0. Sends nothing.
// REQUIRES: IsNumeric(peer).
Endpoint LocalAddressToward(const Endpoint& peer);

}  // namespace singa
