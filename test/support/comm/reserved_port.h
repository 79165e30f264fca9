// ReservedPort keeps a port of loopback for a test. The system gives it to nobody else, and a
// socket with SO_REUSEADDR, as those of the library are, can listen there at any time.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/system/descriptor.h"

namespace singa {

class ReservedPort {
 public:
  ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    EXPECT_EQ(bind(socket_.get(), at, size), 0);
    EXPECT_EQ(getsockname(socket_.get(), at, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }

 private:
  Descriptor socket_;  // bound, and does not listen
  int port_ = 0;
};

}  // namespace singa
