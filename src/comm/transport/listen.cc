#include "comm/transport/listen.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kBacklog = 1024;  // all processes of the largest job may connect at once

[[noreturn]] void Throw(const Endpoint& own, int error) {
  const std::string where = ToString(own) + ": cannot listen: ";
  switch (error) {
    case EADDRINUSE:
      throw Error(kExitCantCreate,
                  where + "the port is in use; choose another, or 0 for one that is free");
    case EADDRNOTAVAIL:
      throw Error(kExitConfig, where + "that is no address of this machine");
    case EAFNOSUPPORT:
      throw Error(kExitConfig, where + "this machine does not support this kind of address");
    case EACCES:
    case EPERM:
      throw Error(
          kExitNoPermission,
          StrCat(where, std::strerror(error),
                 own.port > 0 && own.port < 1024 ? "; only root may use ports below 1024" : ""));
    case EMFILE:
      throw Error(kExitCantCreate,
                  where + std::strerror(error) + "; raise the limit of open files (ulimit -n)");
    default:
      throw Error(kExitCantCreate, where + std::strerror(error));
  }
}

}  // namespace

Descriptor Listen(Endpoint* own) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(own->host.c_str(), std::to_string(own->port).c_str(), &hints, &found) != 0)
    throw Error(kExitConfig, ToString(*own) + ": is no address");
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> address(found, freeaddrinfo);
  Descriptor socket(
      ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  const int on = 1, off = 0;
  if (socket.get() < 0 ||
      setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      (address->ai_family == AF_INET6 &&
       setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) != 0) ||
      bind(socket.get(), address->ai_addr, address->ai_addrlen) != 0 ||
      listen(socket.get(), kBacklog) != 0)
    Throw(*own, errno);
  sockaddr_storage bound = {};
  socklen_t size = sizeof(bound);
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0)
    Throw(*own, errno);
  own->port = ntohs(bound.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(bound).sin_port
                                               : reinterpret_cast<sockaddr_in6&>(bound).sin6_port);
  return socket;
}

}  // namespace singa
