// Serves an HttpSite by cpp-httplib. The library parses heads of requests and writes answers. This
// file reads bodies and limits the bytes of all, BoundedSocket the time and bytes of each request,
// and Connections the number of clients.
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <optional>

#include "base/text/parse_number.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "driver/http/bounded_socket.h"
#include "driver/http/connections.h"
#include "driver/http/http_access.h"
#include "driver/http/http_server.h"
#include "math/library/libraries.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kMostConnections = 128;  // threads
constexpr int kBacklog = 256;
constexpr int64_t kMostBodies = 256 << 20;  // bytes of all bodies that wait for answers

// A connection to a client, for the library.
class SocketStream final : public httplib::Stream {
 public:
  explicit SocketStream(BoundedSocket* socket) : socket_(*socket) {}

  bool is_readable() const override { return socket_.Readable(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override { return socket_.Read(to, size); }
  ssize_t write(const char* from, size_t size) override {
    return socket_.Write(from, size) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_.socket(); }

 private:
  BoundedSocket& socket_;
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

// Bytes of a body that have come, which count among those of all bodies while it lives.
class BodyBytes {
 public:
  explicit BodyBytes(std::atomic<int64_t>* all) : all_(*all) {}
  ~BodyBytes() { all_ -= bytes_; }
  BodyBytes(const BodyBytes&) = delete;
  BodyBytes& operator=(const BodyBytes&) = delete;

  // Returns false if all bodies have too many bytes.
  bool Add(int64_t bytes) {
    bytes_ += bytes;
    return all_.fetch_add(bytes) + bytes <= kMostBodies;
  }

 private:
  std::atomic<int64_t>& all_;
  int64_t bytes_ = 0;
};

HttpRequest HeadOf(const httplib::Request& request) {
  HttpRequest head;
  head.method = request.method;
  head.path = request.path;
  for (const auto& [name, value] : request.params) head.query[name] = value;
  head.host = request.get_header_value("Host");
  head.cookie = request.get_header_value("Cookie");
  head.type = request.get_header_value("Content-Type");
  return head;
}

bool HasBody(const httplib::Request& request) {
  return (request.method != "GET" && request.method != "HEAD") ||
         request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
}

// Reads a body of `length` bytes. Returns why it is refused; none: it is read.
std::optional<HttpAnswer> ReadBody(int64_t length, BoundedSocket* socket, BodyBytes* bytes,
                                   std::string* body) {
  constexpr int64_t kPiece = 64 << 10;
  socket->AllowBody(length);
  for (int64_t done = 0; done < length;) {
    body->resize(static_cast<size_t>(std::min(length, done + kPiece)));
    const int64_t n = socket->Read(body->data() + done, body->size() - static_cast<size_t>(done));
    if (n <= 0)
      return HttpError(408, StrCat("the body ends after ", done, " of ", length, " bytes"));
    if (!bytes->Add(n)) return HttpError(503, "too many requests are waiting");
    done += n;
  }
  return {};
}

// Returns the length of the body; none: the head does not say it.
std::optional<int64_t> LengthOf(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding") || request.has_header("Content-Encoding") ||
      request.get_header_value_count("Content-Length") != 1)
    return {};
  const auto length = ParseNumber<int64_t>(request.get_header_value("Content-Length"));
  return length && *length >= 0 ? length : std::nullopt;
}

// Returns whether a proxy may read the head in another way, such as "Content-Length : 9". It could
// then take a body for a request, or a request for a body.
bool IsAmbiguous(const httplib::Request& request) {
  return request.get_header_value_count("Host") > 1 ||
         !std::ranges::all_of(request.headers, IsHeaderName, &httplib::Headers::value_type::first);
}

class HttplibServer final : public HttpServer, private httplib::Server {
 public:
  HttplibServer(const std::string& host, int port) {
    // Not SO_REUSEPORT, the library's choice, by which two programs would share a port.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_tcp_nodelay(true);  // an answer is written in two pieces
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

  void Serve(HttpSite* site) override {
    site_ = site;
    CheckThreads(kMostConnections);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const HttpAnswer answer = TakeAnswer(&request);
      response.status = answer.status;
      for (const auto& [name, value] : answer.headers) response.set_header(name, value);
      response.set_content(answer.body, answer.type);
      return HandlerResponse::Handled;
    });
    // The library calls this also before its own answers, to heads that it cannot read.
    set_post_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      site_->CountAnswer(request.path, response.status);
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
  // Answers a request whose head is read. Sets *last if the connection cannot go on after it.
  HttpAnswer AnswerTo(const httplib::Request& request, BoundedSocket* socket, bool* last) {
    HttpRequest asked = HeadOf(request);
    const int64_t most = site_->MostBody(asked);
    const bool body = HasBody(request), ambiguous = IsAmbiguous(request), ends = *last;
    *last = ends || body || ambiguous;  // until the body is read
    if (ambiguous) return HttpError(400, "has a wrong name of a header, or several Host headers");
    const auto answer = [&] {
      const AnswerMark mark(&connections_, socket->socket());
      return site_->Answer(asked);
    };
    if (!body || most == 0) return answer();
    const std::optional<int64_t> length = LengthOf(request);
    if (!length) return HttpError(411, "the body needs a Content-Length, and no encoding");
    if (*length > most)
      return HttpError(413, StrCat("the body must have at most ", most, " bytes, has ", *length));
    if (request.has_header("Expect")) {
      constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      socket->Write(kContinue.data(), kContinue.size());
    }
    BodyBytes bytes(&bodies_);
    if (const auto refused = ReadBody(*length, socket, &bytes, &asked.body))
      return stopped_ ? HttpError(503, "the server ends") : *refused;
    *last = ends;
    return answer();
  }

  // Called by the library when it has read the head. Keeps the answer for the handler.
  void Prepare(httplib::Request* request, BoundedSocket* socket, bool* last) {
    HttpAnswer answer;
    try {
      answer = AnswerTo(*request, socket, last);
    } catch (const std::bad_alloc&) {
      answer = HttpError(503, "too little memory for this request");
    } catch (const std::exception& error) {
      answer = HttpError(500, error.what());
    }
    // The answer is sent whole and not compressed: ranges and compression could cost a client
    // little and this program much.
    request->ranges.clear();
    for (const char* name : {"Accept-Encoding", "Expect"}) request->headers.erase(name);
    if (*last) {  // the library tells the client so
      request->headers.erase("Connection");
      request->headers.emplace("Connection", "close");
    }
    const MutexLock lock(&mutex_);
    answers_[request] = std::move(answer);
  }

  HttpAnswer TakeAnswer(const httplib::Request* request) {
    const MutexLock lock(&mutex_);
    return std::move(answers_.extract(request).mapped());
  }

  // Serves the requests of a connection, one after the other.
  bool process_and_close_socket(socket_t socket) override {
    connections_.Begin(socket);
    BoundedSocket bounded(socket);
    SocketStream stream(&bounded);
    // If the library refuses a head, the bytes after it are not read. They are no further request.
    bool last = false, served = true, accepted = true;
    while (!last && served && accepted && !stopped_ && bounded.AwaitRequest()) {
      connections_.Renew(socket);
      accepted = false;
      served = process_request(stream, false, last, [&](httplib::Request& request) {
        accepted = true;
        Prepare(&request, &bounded, &last);
      });
      if (!served && bounded.head_too_large()) {
        constexpr std::string_view kTooLarge =
            "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
            "Content-Length: 0\r\n\r\n";
        site_->CountAnswer("", 431);
        bounded.Write(kTooLarge.data(), kTooLarge.size());
      }
    }
    bounded.SayFarewell();
    connections_.End(socket);
    ::close(socket);
    return served;
  }

  HttpSite* site_ = nullptr;
  Connections connections_{kMostConnections};
  std::atomic<int64_t> bodies_ = 0;  // bytes of bodies that wait for answers
  std::atomic<bool> stopped_ = false;
  int port_ = 0;
  Mutex mutex_;
  std::map<const httplib::Request*, HttpAnswer> answers_ GUARDED_BY(mutex_);
};

std::unique_ptr<HttpServer> Listen(const std::string& host, int port) {
  return std::make_unique<HttplibServer>(host, port);
}

[[maybe_unused]] const bool registered =
    AddLibrary("cpp-httplib " CPPHTTPLIB_VERSION) && (listen_by_httplib = Listen);

}  // namespace
}  // namespace singa
