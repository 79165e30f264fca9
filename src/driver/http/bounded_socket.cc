#include "driver/http/bounded_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/thread/clock.h"

namespace singa {
namespace {

constexpr int64_t kMostHead = 64 << 10;            // bytes
constexpr int64_t kHeadTime = 10 * kSecond;        // from its first byte to its last
constexpr int64_t kBodyTime = 30 * kSecond;        // from its first byte to its last
constexpr int64_t kAnswerTime = 60 * kSecond;      // from its first byte to its last
constexpr int64_t kIdleTime = 15 * kSecond;        // between two requests
constexpr int64_t kFarewell = 500 * kMillisecond;  // for bytes that come after a refusal

int64_t SteadyNow() { return SteadyClock().Now(); }

// Waits until a socket is ready for `events`, or the deadline. Returns whether it is.
bool AwaitSocket(int socket, short events, int64_t deadline) {
  for (;;) {
    const int64_t left = std::max<int64_t>(0, deadline - SteadyNow());
    pollfd ready = {socket, events, 0};
    const int found = ::poll(&ready, 1, static_cast<int>((left + kMillisecond - 1) / kMillisecond));
    if (found > 0) return true;
    if (found == 0 || errno != EINTR) return false;
  }
}

}  // namespace

bool BoundedSocket::AwaitRequest() {
  read_deadline_ = SteadyNow() + kIdleTime;
  in_head_ = true;
  left_ = kMostHead;
  write_deadline_ = 0;
  if (begin_ == end_ && !Fill()) return false;
  read_deadline_ = SteadyNow() + kHeadTime;
  return true;
}

void BoundedSocket::AllowBody(int64_t bytes) {
  in_head_ = false;
  left_ = bytes;
  read_deadline_ = SteadyNow() + kBodyTime;
  write_deadline_ = 0;  // "100 Continue" is no part of the answer
}

bool BoundedSocket::Readable() const {
  return begin_ < end_ || AwaitSocket(socket_, POLLIN, SteadyNow());
}

int64_t BoundedSocket::Read(char* to, size_t size) {
  if (left_ <= 0 || (begin_ == end_ && !Fill())) return -1;
  const size_t n = std::min({size, end_ - begin_, static_cast<size_t>(left_)});
  std::memcpy(to, buffer_.data() + begin_, n);
  begin_ += n;
  left_ -= static_cast<int64_t>(n);
  return static_cast<int64_t>(n);
}

bool BoundedSocket::Write(const char* from, size_t size) {
  if (write_deadline_ == 0) write_deadline_ = SteadyNow() + kAnswerTime;
  for (size_t done = 0; done < size;) {
    if (!AwaitSocket(socket_, POLLOUT, write_deadline_)) return false;
    const ssize_t n = ::send(socket_, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (n > 0) done += static_cast<size_t>(n);
  }
  return true;
}

void BoundedSocket::SayFarewell() {
  ::shutdown(socket_, SHUT_WR);
  read_deadline_ = SteadyNow() + kFarewell;
  for (int block = 0; block < 64 && Fill(); ++block) begin_ = end_;
}

// Reads what has come into buffer_. Returns false if nothing comes in time.
bool BoundedSocket::Fill() {
  for (;;) {
    if (!AwaitSocket(socket_, POLLIN, read_deadline_)) return false;
    const ssize_t n = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    begin_ = 0;
    end_ = n > 0 ? static_cast<size_t>(n) : 0;
    return n > 0;
  }
}

}  // namespace singa
