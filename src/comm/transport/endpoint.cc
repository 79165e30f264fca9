#include "comm/transport/endpoint.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/system/descriptor.h"
#include "base/text/parse_number.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kLongestHost = 253;  // of a name in DNS
constexpr char kForm[] = "must be HOST:PORT, such as 127.0.0.1:6723 or [::1]:6723, is \"";

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

[[noreturn]] void ThrowForm(const std::string& text) {
  throw ConfigError("", Printable(kForm + text.substr(0, 300) + "\""));
}

int ParsePort(const std::string& port, const std::string& text) {
  if (port == "*") return 0;
  const std::optional<int> number = ParseNumber<int>(port);
  if (!number) ThrowForm(text);
  if (*number < 0 || *number > 65535)
    throw ConfigError("", StrCat("the port must be 0 to 65535, is ", *number));
  return *number;
}

bool GoodHost(const std::string& host, bool bracketed) {
  if (host.empty() || host.size() > kLongestHost) return false;
  if (host == "*") return !bracketed;
  return std::all_of(host.begin(), host.end(), [=](unsigned char c) {
    if (std::isalnum(c) || c == '.') return true;
    return bracketed ? c == ':' || c == '%' : c == '-' || c == '_';
  });
}

AddressList LookUp(const Endpoint& endpoint, int flags, int* error) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  *error = EAI_NONAME;
  if (endpoint.host == "*") return {nullptr, freeaddrinfo};  // glibc takes "*" for an address
  *error =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  return AddressList(*error == 0 ? found : nullptr, freeaddrinfo);
}

}  // namespace

std::string NumericHost(const sockaddr* address) {
  char host[NI_MAXHOST];
  const socklen_t size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (getnameinfo(address, size, host, sizeof(host), nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return host;
}

Endpoint ParseEndpoint(const std::string& text) {
  std::string rest = text;
  if (const size_t scheme = text.find("://"); scheme != std::string::npos) {
    if (text.compare(0, scheme, "tcp") != 0)
      throw ConfigError("", Printable("only tcp is supported, is \"" + text.substr(0, 300) + "\""));
    rest = text.substr(scheme + 3);
  }
  const size_t colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0) ThrowForm(text);
  std::string host = rest.substr(0, colon);
  const bool bracketed = host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!GoodHost(host, bracketed)) ThrowForm(text);
  return {host, ParsePort(rest.substr(colon + 1), text)};
}

std::string ToString(const Endpoint& endpoint) {
  const bool brackets = endpoint.host.find(':') != std::string::npos;
  return StrCat(brackets ? "[" : "", endpoint.host, brackets ? "]:" : ":",
                endpoint.port == 0 ? "*" : std::to_string(endpoint.port));
}

bool IsNumeric(const Endpoint& endpoint) {
  int error = 0;
  return LookUp(endpoint, AI_NUMERICHOST, &error) != nullptr;
}

bool IsIpv6(const Endpoint& endpoint) { return endpoint.host.find(':') != std::string::npos; }

bool IsLoopback(const Endpoint& endpoint) {
  in_addr v4;
  if (inet_pton(AF_INET, endpoint.host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  return endpoint.host == "::1";
}

bool IsWildcard(const Endpoint& endpoint) {
  return endpoint.host == "*" || endpoint.host == "0.0.0.0" || endpoint.host == "::";
}

std::vector<Endpoint> ResolveAll(const Endpoint& endpoint) {
  int error = 0;
  const AddressList all = LookUp(endpoint, 0, &error);
  std::vector<Endpoint> found;
  for (const int family : {AF_INET, AF_INET6})
    for (const addrinfo* i = all.get(); i; i = i->ai_next)
      if (i->ai_family == family) found.push_back({NumericHost(i->ai_addr), endpoint.port});
  if (found.empty())
    throw Error(kExitConfig,
                Printable(StrCat(endpoint.host, ": no address is known for this name: ",
                                 error ? gai_strerror(error) : "of no known family")));
  return found;
}

Endpoint Resolve(const Endpoint& endpoint) { return ResolveAll(endpoint).front(); }

bool HasAddress(const Endpoint& endpoint) {
  try {
    Resolve(endpoint);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Endpoint LocalAddressToward(const Endpoint& peer) {
  const auto fail = [&]() -> Error {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      return {kExitCantCreate, StrCat("cannot make a socket: ", std::strerror(errno))};
    return {
        kExitConfig,
        StrCat(ToString(peer), ": no network of this machine leads there: ", std::strerror(errno))};
  };
  int error = 0;
  const AddressList address =
      LookUp({peer.host, peer.port ? peer.port : 1}, AI_NUMERICHOST, &error);
  if (!address) throw Error(kExitConfig, ToString(peer) + ": is no address");
  const Descriptor socket(::socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) throw fail();
  sockaddr_storage own = {};
  socklen_t size = sizeof(own);
  auto* const own_address = reinterpret_cast<sockaddr*>(&own);
  if (connect(socket.get(), address->ai_addr, address->ai_addrlen) != 0 ||
      getsockname(socket.get(), own_address, &size) != 0)
    throw fail();
  return {NumericHost(own_address), 0};
}

}  // namespace singa
