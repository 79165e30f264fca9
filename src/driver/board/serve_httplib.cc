// Serves a BoardSite by cpp-httplib. The library parses and writes HTTP. This file limits the bytes
// and the time of a request, the time of an answer, and the number of connections.
#include <arpa/inet.h>
#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>

#include "base/thread/clock.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "driver/board/board_server.h"
#include "math/library/libraries.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kMostConnections = 64;  // threads
constexpr int kBacklog = 256;
constexpr int64_t kMostRequest = 64 << 10;         // bytes
constexpr int64_t kRequestTime = 10 * kSecond;     // from its first byte to its last
constexpr int64_t kAnswerTime = 60 * kSecond;      // from its first byte to its last
constexpr int64_t kIdleTime = 15 * kSecond;        // between two requests
constexpr int64_t kFarewell = 500 * kMillisecond;  // for bytes that come after a refusal

int64_t Now() { return SteadyClock().Now(); }

// Waits until a socket is ready for `events`, or the deadline. Returns whether it is.
bool Await(int socket, short events, int64_t deadline) {
  for (;;) {
    const int64_t left = std::max<int64_t>(0, deadline - Now());
    pollfd ready = {socket, events, 0};
    const int found = ::poll(&ready, 1, static_cast<int>((left + kMillisecond - 1) / kMillisecond));
    if (found > 0) return true;
    if (found == 0 || errno != EINTR) return false;
  }
}

// A connection to a client, with limits. The library reads single bytes, so they are buffered.
class BoundedStream final : public httplib::Stream {
 public:
  explicit BoundedStream(int socket) : socket_(socket) {}

  // Waits for the first byte of a request. Returns false if none comes.
  bool AwaitRequest() {
    read_deadline_ = Now() + kIdleTime;
    left_ = kMostRequest;
    write_deadline_ = 0;
    if (begin_ == end_ && !Fill()) return false;
    read_deadline_ = Now() + kRequestTime;
    return true;
  }
  bool too_large() const { return left_ <= 0; }

  // Discards what the client still sends, for a moment. If unread bytes are left, the system resets
  // the connection, and the client may lose the answer.
  void SayFarewell() {
    ::shutdown(socket_, SHUT_WR);
    read_deadline_ = Now() + kFarewell;
    for (int block = 0; block < 256 && Fill(); ++block) begin_ = end_;
  }

  bool is_readable() const override { return begin_ < end_ || Await(socket_, POLLIN, Now()); }
  bool is_writable() const override { return true; }

  ssize_t read(char* to, size_t size) override {
    if (left_ <= 0 || (begin_ == end_ && !Fill())) return -1;
    const size_t n = std::min({size, end_ - begin_, static_cast<size_t>(left_)});
    std::memcpy(to, buffer_.data() + begin_, n);
    begin_ += n;
    left_ -= static_cast<int64_t>(n);
    return static_cast<ssize_t>(n);
  }

  ssize_t write(const char* from, size_t size) override {
    if (write_deadline_ == 0) write_deadline_ = Now() + kAnswerTime;
    for (size_t done = 0; done < size;) {
      if (!Await(socket_, POLLOUT, write_deadline_)) return -1;
      const ssize_t n = ::send(socket_, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EINTR && errno != EAGAIN) return -1;
      if (n > 0) done += static_cast<size_t>(n);
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  bool Fill() {
    for (;;) {
      if (!Await(socket_, POLLIN, read_deadline_)) return false;
      const ssize_t n = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      begin_ = 0;
      end_ = n > 0 ? static_cast<size_t>(n) : 0;
      return n > 0;
    }
  }

  const int socket_;
  std::array<char, 4096> buffer_;
  size_t begin_ = 0, end_ = 0;  // bytes of buffer_ that nobody has read
  int64_t left_ = 0;            // bytes that the request may still have
  int64_t read_deadline_ = 0, write_deadline_ = 0;
};

// The open connections, each with a thread. When more come than there are threads, it shuts down
// the connections that have waited longest for their clients. Their threads then close them.
class Connections {
 public:
  // A connection has come, and awaits a thread.
  void Announce() {
    const MutexLock lock(&mutex_);
    ++announced_;
    LeaveRoom(kMostConnections);
  }
  // A thread begins to serve an announced connection.
  void Begin(int socket) {
    const MutexLock lock(&mutex_);
    --announced_;
    open_.push_back(socket);
    LeaveRoom(kMostConnections);
  }
  // A request has come.
  void Renew(int socket) {
    const MutexLock lock(&mutex_);
    const auto found = std::find(open_.begin(), open_.end(), socket);
    if (found != open_.end()) open_.splice(open_.end(), open_, found);
  }
  // REQUIRES: called before the socket is closed.
  void End(int socket) {
    const MutexLock lock(&mutex_);
    open_.remove(socket);
  }
  void EndAll() {
    const MutexLock lock(&mutex_);
    LeaveRoom(0);
  }

 private:
  void LeaveRoom(size_t most) REQUIRES(mutex_) {
    while (!open_.empty() && open_.size() + announced_ > most) {
      ::shutdown(open_.front(), SHUT_RDWR);
      open_.pop_front();
    }
  }

  Mutex mutex_;
  size_t announced_ GUARDED_BY(mutex_) = 0;
  std::list<int> open_ GUARDED_BY(mutex_);  // the one that has waited longest is first
};

// The library's pool of threads.
class Pool final : public httplib::TaskQueue {
 public:
  explicit Pool(Connections* connections)
      : connections_(*connections), threads_(kMostConnections) {}

  void enqueue(std::function<void()> serve) override {
    connections_.Announce();
    threads_.enqueue(std::move(serve));
  }
  void shutdown() override {
    connections_.EndAll();
    threads_.shutdown();
  }

 private:
  Connections& connections_;
  httplib::ThreadPool threads_;
};

class HttplibServer final : public BoardServer, private httplib::Server {
 public:
  HttplibServer(const std::string& host, int port) {
    // Not SO_REUSEPORT, the library's choice, by which two boards would share a port.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    new_task_queue = [this] { return new Pool(&connections_); };
    errno = 0;
    port_ = port == 0 ? bind_to_any_port(host) : (bind_to_port(host, port) ? port : -1);
    // The library's own backlog has five places.
    if (port_ <= 0 || ::listen(svr_sock_, kBacklog) != 0)
      throw Error(kExitCantCreate,
                  StrCat("cannot listen on ", host, port == 0 ? "" : StrCat(" port ", port), ": ",
                         errno ? std::strerror(errno) : "no such address"));
  }

  int port() const override { return port_; }

  bool loopback() const override {
    sockaddr_storage address = {};
    socklen_t size = sizeof address;
    if (::getsockname(svr_sock_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
    if (address.ss_family == AF_INET6)
      return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return address.ss_family == AF_INET && ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  }

  void Serve(BoardSite* site) override {
    CheckThreads(kMostConnections);
    set_keep_alive_timeout(kIdleTime / kSecond);
    set_pre_routing_handler([site](const httplib::Request& request, httplib::Response& response) {
      Answer(site, request, &response);
      return HandlerResponse::Handled;
    });
    if (!listen_after_bind() && !stopped_)
      throw Error(kExitIo, "the system has ended the socket on which this program listens");
  }

  void Stop() override {
    stopped_ = true;
    // The library's stop() does nothing before it serves. This ends its wait at any time.
    ::shutdown(svr_sock_, SHUT_RDWR);
  }

 private:
  static void Answer(BoardSite* site, const httplib::Request& request,
                     httplib::Response* response) {
    BoardRequest asked;
    asked.method = request.method;
    asked.path = request.path;
    for (const auto& [name, value] : request.params) asked.query[name] = value;
    asked.host = request.get_header_value("Host");
    asked.cookie = request.get_header_value("Cookie");
    BoardAnswer answer = site->Answer(asked);
    response->status = answer.status;
    for (const auto& [name, value] : answer.headers) response->set_header(name, value);
    response->set_content(std::move(answer.body), answer.type);
  }

  // Serves the requests of a connection, one after the other.
  bool process_and_close_socket(socket_t socket) override {
    connections_.Begin(socket);
    BoundedStream stream(socket);
    bool last = false, served = true;
    while (!last && served && !stopped_ && stream.AwaitRequest()) {
      connections_.Renew(socket);
      served = process_request(stream, false, last, [&](httplib::Request& request) {
        // The answer is sent whole and not compressed: ranges and compression could cost a client
        // little and this program much. A body is not read, so nothing can follow it.
        request.ranges.clear();
        request.headers.erase("Accept-Encoding");
        last = last || (request.method != "GET" && request.method != "HEAD") ||
               request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
        if (last) {  // the library tells the client so
          request.headers.erase("Connection");
          request.headers.emplace("Connection", "close");
        }
      });
      if (!served && stream.too_large()) {
        constexpr std::string_view kTooLarge =
            "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
            "Content-Length: 0\r\n\r\n";
        stream.write(kTooLarge.data(), kTooLarge.size());
      }
    }
    stream.SayFarewell();
    connections_.End(socket);
    ::close(socket);
    return served;
  }

  Connections connections_;
  std::atomic<bool> stopped_ = false;
  int port_ = 0;
};

std::unique_ptr<BoardServer> Listen(const std::string& host, int port) {
  return std::make_unique<HttplibServer>(host, port);
}

[[maybe_unused]] const bool registered =
    AddLibrary("cpp-httplib " CPPHTTPLIB_VERSION) && (listen_by_httplib = Listen);

}  // namespace
}  // namespace singa
