// BoundedSocket reads requests from a client's socket and writes answers to it. It limits the bytes
// and the time of both. One thread uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace singa {

class BoundedSocket {
 public:
  // `socket` must outlive it.
  explicit BoundedSocket(int socket) : socket_(socket) {}

  int socket() const { return socket_; }
  // Waits for the first byte of a request. Returns false if none comes.
  bool AwaitRequest();
  // The head is read. Lets the request have a body of so many bytes, and time for it.
  void AllowBody(int64_t bytes);
  // Returns whether the request's head has more bytes than are allowed.
  bool head_too_large() const { return in_head_ && left_ <= 0; }
  // Returns whether bytes of the request can be read at once.
  bool Readable() const;
  // Reads at least one byte. Returns -1 if none comes in time, or if no more are allowed.
  int64_t Read(char* to, size_t size);
  // Writes all bytes. Returns false if the client does not take them in time.
  bool Write(const char* from, size_t size);
  // Discards what the client still sends, for a moment. If unread bytes are left, the system resets
  // the connection, and the client may lose the answer.
  void SayFarewell();

 private:
  bool Fill();

  const int socket_;
  std::array<char, 16384> buffer_;
  size_t begin_ = 0, end_ = 0;  // bytes of buffer_ that nobody has read
  bool in_head_ = true;
  int64_t left_ = 0;  // bytes that the request's head or body may still have
  int64_t read_deadline_ = 0, write_deadline_ = 0;
};

}  // namespace singa
