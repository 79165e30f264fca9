// Tests the server of HTTP with clients on loopback.
#include "driver/http/http_server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <iterator>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/thread/thread.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Makes its answer when the test allows it.
class WaitingSite final : public HttpSite {
 public:
  HttpAnswer Answer(const HttpRequest&) override {
    asked_.count_down();
    allowed_.wait();
    return {200, "text/plain", "whole"};
  }
  void AwaitRequest() { asked_.wait(); }
  void AllowAnswer() { allowed_.count_down(); }

 private:
  std::latch asked_{1}, allowed_{1};
};

class BareClient {
 public:
  explicit BareClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval limit = {.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  ~BareClient() { ::close(socket_); }
  BareClient(const BareClient&) = delete;
  BareClient& operator=(const BareClient&) = delete;

  int socket() const { return socket_; }
  void Send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), 0), std::ssize(bytes));
  }
  // Returns what comes until `end`, or until the connection ends.
  std::string ReadUntil(std::string_view end) {
    std::string all;
    for (char byte; !all.ends_with(end) && ::recv(socket_, &byte, 1, 0) == 1;) all += byte;
    return all;
  }

 private:
  const int socket_;
};

TEST(HttpServerTest, AnswersARequestWithoutABodyAlthoughTooManyClientsCome) {
  if (!listen_by_httplib) GTEST_SKIP() << "this build lacks cpp-httplib";
  constexpr int kMostConnections = 128;
  const std::unique_ptr<HttpServer> server = listen_by_httplib("127.0.0.1", 0);
  WaitingSite site;
  std::thread serving = StartThread([&] { server->Serve(&site); });
  BareClient first(server->port());
  first.Send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  site.AwaitRequest();
  std::vector<std::unique_ptr<BareClient>> others;
  std::vector<pollfd> sockets = {{.fd = first.socket(), .events = POLLIN, .revents = 0}};
  for (int i = 0; i < kMostConnections; ++i) {
    others.push_back(std::make_unique<BareClient>(server->port()));
    sockets.push_back({.fd = others.back()->socket(), .events = POLLIN, .revents = 0});
  }
  constexpr int kLimit = 30'000;  // milliseconds
  EXPECT_GT(::poll(sockets.data(), sockets.size(), kLimit), 0) << "no connection was ended";
  EXPECT_EQ(sockets[0].revents, 0) << "the connection that is answered was ended";
  site.AllowAnswer();
  EXPECT_TRUE(first.ReadUntil("whole").starts_with("HTTP/1.1 200"));
  server->Stop();
  serving.join();
}

// Answers each request with its path.
class PathSite final : public HttpSite {
 public:
  HttpAnswer Answer(const HttpRequest& request) override {
    return {200, "text/plain", request.path};
  }
};

TEST(HttpServerTest, AHeadThatAProxyMayReadInAnotherWayEndsTheConnection) {
  if (!listen_by_httplib) GTEST_SKIP() << "this build lacks cpp-httplib";
  const std::unique_ptr<HttpServer> server = listen_by_httplib("127.0.0.1", 0);
  PathSite site;
  std::thread serving = StartThread([&] { server->Serve(&site); });
  for (const char* line : {"Content-Length : 9", "Host: other", " X: 1"}) {
    BareClient client(server->port());
    client.Send(StrCat("GET /one HTTP/1.1\r\nHost: localhost\r\n", line,
                       "\r\n\r\nGET /two HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const std::string answers = client.ReadUntil("/two");
    EXPECT_TRUE(answers.starts_with("HTTP/1.1 400")) << line << ": " << answers;
    EXPECT_EQ(answers.find("200 OK"), answers.npos) << line << ": " << answers;
  }
  server->Stop();
  serving.join();
}

}  // namespace
}  // namespace singa
