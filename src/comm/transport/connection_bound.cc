#include "comm/transport/connection_bound.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <glog/logging.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "singa/base/api.h"

namespace singa {
namespace {

// All bounds, by listening socket. They are global, since ZeroMQ's call of accept4 passes only the
// socket.
struct Bounds {
  Mutex mutex;
  std::map<int, ConnectionBound*> of GUARDED_BY(mutex);
};
Bounds& AllBounds() {
  static Bounds* const bounds = new Bounds;  // threads of ZeroMQ's may outlive all statics
  return *bounds;
}

using AcceptFunction = int (*)(int, sockaddr*, socklen_t*, int);
int AcceptOfTheSystem(int listener, sockaddr* address, socklen_t* size, int flags) {
  static const auto next = reinterpret_cast<AcceptFunction>(::dlsym(RTLD_NEXT, "accept4"));
  return next(listener, address, size, flags);
}

// Returns the inode number of a socket; 0: `descriptor` is no socket.
ino_t SocketOf(int descriptor) {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

bool HasSpoken(int descriptor) {
  tcp_info info = {};
  socklen_t size = sizeof(info);
  return ::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_bytes_received > 0;
}

Descriptor Spare() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

int Accept(int listener, sockaddr* address, socklen_t* size, int flags) {
  Bounds& bounds = AllBounds();
  {
    const MutexLock lock(&bounds.mutex);
    const auto found = bounds.of.find(listener);
    if (found != bounds.of.end()) return found->second->Accept(address, size, flags);
  }
  return AcceptOfTheSystem(listener, address, size, flags);
}

}  // namespace

ConnectionBound::ConnectionBound(int listener, int most)
    : listener_(listener), most_(most), spare_(Spare()) {
  CHECK_GT(most, 0);
  const MutexLock lock(&AllBounds().mutex);
  CHECK(AllBounds().of.emplace(listener, this).second) << listener << " has a bound already";
}

ConnectionBound::~ConnectionBound() {
  const MutexLock lock(&AllBounds().mutex);
  AllBounds().of.erase(listener_);
}

void ConnectionBound::Proved(int connection) {
  const MutexLock lock(&mutex_);
  const ino_t socket = SocketOf(connection);
  std::erase_if(strangers_, [=](const Connection& each) {
    return each.descriptor == connection && each.socket == socket;
  });
}

int64_t ConnectionBound::cut_off() {
  const MutexLock lock(&mutex_);
  return cut_off_;
}

int ConnectionBound::Accept(sockaddr* address, socklen_t* size, int flags) {
  const MutexLock lock(&mutex_);
  if (strangers_.size() >= most_) ForgetClosed();
  if (strangers_.size() >= most_) CutOffOne();
  const int accepted = AcceptOfTheSystem(listener_, address, size, flags);
  if (accepted >= 0)
    strangers_.push_back({accepted, SocketOf(accepted)});
  else if (errno == EMFILE || errno == ENFILE)
    Decline();
  return accepted;
}

void ConnectionBound::ForgetClosed() {
  std::erase_if(strangers_,
                [](const Connection& each) { return SocketOf(each.descriptor) != each.socket; });
}

// Shuts one connection down. ZeroMQ then closes it on the thread that accepts, so no descriptor is
// closed meanwhile.
void ConnectionBound::CutOffOne() {
  auto one = std::find_if(strangers_.begin(), strangers_.end(),
                          [](const Connection& each) { return !HasSpoken(each.descriptor); });
  if (one == strangers_.end()) one = strangers_.begin();
  ::shutdown(one->descriptor, SHUT_RDWR);
  strangers_.erase(one);
  ++cut_off_;
}

// Accepts and closes one connection. Without a free descriptor it would wait for ever, and ZeroMQ's
// thread would retry in a loop. Keeps errno.
void ConnectionBound::Decline() {
  const int error = errno;
  ForgetClosed();
  if (!strangers_.empty()) CutOffOne();
  spare_.Close();
  Descriptor(AcceptOfTheSystem(listener_, nullptr, nullptr, SOCK_CLOEXEC)).Close();
  spare_ = Spare();
  errno = error;
}

}  // namespace singa

extern "C" {
SINGA_API int accept4(int listener, sockaddr* address, socklen_t* size, int flags) {
  return singa::Accept(listener, address, size, flags);
}
SINGA_API int accept(int listener, sockaddr* address, socklen_t* size) {
  return singa::Accept(listener, address, size, 0);
}
}
