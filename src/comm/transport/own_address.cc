#include "comm/transport/own_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "base/system/host_name.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Addresses that no machine has (RFC 5737, RFC 3849); the default route leads to them.
constexpr char kAnywhere4[] = "192.0.2.1", kAnywhere6[] = "2001:db8::1";

bool IsLinkLocal(const std::string& host) { return host.find('%') != std::string::npos; }

bool IsLocalhost(const std::string& name) {
  for (const char* each : {"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"})
    if (name == each) return true;
  return name.ends_with(".localhost");
}

[[noreturn]] void ThrowLoopback(const Endpoint& endpoint, const std::string& host,
                                const std::string& more) {
  throw Error(
      kExitConfig,
      Printable(StrCat(endpoint.host, ": ", host == endpoint.host ? "" : "is " + host + ", ",
                       "which is loopback: processes on other hosts cannot reach it; ", more,
                       "name an address or network interface that they reach")));
}

// Returns the addresses that processes of other hosts may reach: link-local ones only if there are
// no others.
std::vector<OwnAddress> PublicAddresses(const std::vector<OwnAddress>& own) {
  std::vector<OwnAddress> found;
  for (const bool link_local : {false, true}) {
    for (const OwnAddress& each : own)
      if (!IsLoopback({each.host, 0}) && IsLinkLocal(each.host) == link_local)
        found.push_back(each);
    if (!found.empty()) break;
  }
  return found;
}

std::optional<std::string> OfDefaultRoute() {
  for (const char* anywhere : {kAnywhere4, kAnywhere6}) {
    try {
      const Endpoint local = LocalAddressToward({anywhere, 1});
      if (!IsLoopback(local)) return local.host;
    } catch (const Error&) {
      // No route: the next family may have one.
    }
  }
  return {};
}

// Returns the address to use for a name that is loopback here; "": this machine has no network.
std::string AddressForOthers(const Endpoint& endpoint, const std::string& loopback,
                             const std::vector<OwnAddress>& own) {
  if (const auto host = OfDefaultRoute()) return *host;
  const std::vector<OwnAddress> all = PublicAddresses(own);
  std::set<std::string> interfaces;
  std::string listed;
  for (const OwnAddress& each : all) {
    interfaces.insert(each.interface);
    listed += StrCat(listed.empty() ? "" : ", ", each.host, " (", each.interface, ")");
  }
  if (interfaces.size() > 1)
    ThrowLoopback(endpoint, loopback, StrCat("this host has ", listed, ": "));
  return all.empty() ? "" : all.front().host;
}

}  // namespace

std::vector<OwnAddress> OwnAddresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(list, freeifaddrs);
  std::vector<OwnAddress> found;
  for (int family : {AF_INET, AF_INET6})
    for (const ifaddrs* i = list; i; i = i->ifa_next)
      if (i->ifa_addr && i->ifa_addr->sa_family == family && (i->ifa_flags & IFF_UP))
        found.push_back({i->ifa_name, NumericHost(i->ifa_addr)});
  std::stable_partition(found.begin(), found.end(),
                        [](const OwnAddress& each) { return !IsLinkLocal(each.host); });
  return found;
}

Endpoint ResolveOwn(const Endpoint& endpoint, Reach reach) {
  if (endpoint.host == "*") return {"0.0.0.0", endpoint.port};
  const std::vector<OwnAddress> own = OwnAddresses();
  const auto of_interface = std::find_if(own.begin(), own.end(), [&](const OwnAddress& each) {
    return each.interface == endpoint.host;
  });
  if (of_interface != own.end()) {
    Endpoint found{of_interface->host, endpoint.port};
    if (reach == Reach::kOtherHosts && IsLoopback(found)) ThrowLoopback(endpoint, found.host, "");
    return found;
  }
  const std::vector<Endpoint> all = ResolveAll(endpoint);
  if (reach == Reach::kThisHost) return all.front();
  const auto here = [&](const Endpoint& one) {
    return std::any_of(own.begin(), own.end(),
                       [&](const OwnAddress& each) { return each.host == one.host; });
  };
  for (const bool is_here : {true, false})
    for (const Endpoint& one : all)
      if (!IsLoopback(one) && here(one) == is_here) return one;
  const Endpoint& loopback = all.front();
  const bool meant = IsNumeric(endpoint) || IsLocalhost(endpoint.host);
  const std::string host = meant ? "" : AddressForOthers(endpoint, loopback.host, own);
  if (!host.empty()) return {host, endpoint.port};
  if (reach == Reach::kOtherHosts) ThrowLoopback(endpoint, loopback.host, "");
  return loopback;
}

std::string OwnNetwork() {
  const std::string boot = BootId();
  struct stat status;
  if (boot.empty() || ::stat("/proc/self/ns/net", &status) != 0) return "";
  return StrCat(boot, ".", status.st_ino);
}

}  // namespace singa
