#include "driver/http/http_place.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/file/sha256.h"
#include "base/system/host_name.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the host for a URL: names and addresses as given, this machine's name for "any address".
std::string UrlHost(const std::string& host) {
  if (host == "0.0.0.0" || host == "::") return HostName();
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::unique_ptr<HttpServer> ListenFor(const Arguments& args, const std::string& command,
                                      const std::string& host, int port) {
  if (args.Has("port")) port = args.ToNumber<int>("port", args.Get("port"));
  if (port < 0 || port > 65535) args.ThrowUsage(StrCat("-port must be from 0 to 65535, is ", port));
  if (!listen_by_httplib)
    throw Error(kExitNoDevice,
                StrCat("this build of singa is without cpp-httplib, which `", command,
                       "` needs: install libcpp-httplib-dev, and build again"));
  return listen_by_httplib(host, port);
}

}  // namespace

HttpPlace::HttpPlace(const Arguments& args, std::string command, int port)
    : command_(std::move(command)),
      host_(args.Get("host", "127.0.0.1")),
      server_(ListenFor(args, command_, host_, port)),
      stops_(server_.get()) {
  constexpr size_t kTokenBytes = 16;
  if (!server_->loopback()) token_ = RandomHex(kTokenBytes);
}

void HttpPlace::Serve(HttpSite* site, const std::string& risk) {
  std::printf("http://%s:%d/%s%s\n", UrlHost(host_).c_str(), server_->port(),
              token_.empty() ? "" : "?token=", token_.c_str());
  if (std::fflush(stdout) != 0) throw FileError(kExitIo, "stdout", std::strerror(errno));
  if (!token_.empty())
    std::fprintf(stderr,
                 "%s: warning: everybody who can reach this machine and has the token can %s; the "
                 "connection is not encrypted\n",
                 command_.c_str(), risk.c_str());
  server_->Serve(site);
}

}  // namespace singa
