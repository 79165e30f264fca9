// ConnectionBound limits the connections to a listening ZeroMQ socket whose peers have not proved
// who they are. One more connection cuts off the oldest that has sent nothing, else the oldest.
// Without the limit anybody who can reach the port could use up the process's descriptors.
//
// ZeroMQ accepts connections on a thread of its own and has no such limit. libsinga.so therefore
// defines accept() and accept4(), which ZeroMQ then calls; on sockets without a bound they do what
// the C library's do.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/system/descriptor.h"
#include "base/thread/mutex.h"

namespace singa {

class ConnectionBound {
 public:
  // Bounds the connections of `listener` until this object is destroyed. Another thread may accept
  // from `listener` meanwhile. `most`: > 0.
  ConnectionBound(int listener, int most);
  ~ConnectionBound();
  ConnectionBound(const ConnectionBound&) = delete;
  ConnectionBound& operator=(const ConnectionBound&) = delete;

  // The peer of `connection` has proved itself: the connection is never cut off from now on.
  void Proved(int connection);
  int64_t cut_off();

  // Does what accept4 does, on the listener.
  int Accept(sockaddr* address, socklen_t* size, int flags);

 private:
  struct Connection {
    int descriptor;
    ino_t socket;  // inode number: no other socket has it, whatever the descriptor becomes
  };

  void ForgetClosed() REQUIRES(mutex_);
  void CutOffOne() REQUIRES(mutex_);
  void Decline() REQUIRES(mutex_);

  const int listener_;
  const size_t most_;
  Mutex mutex_;
  std::vector<Connection> strangers_ GUARDED_BY(mutex_);  // the oldest first
  Descriptor spare_ GUARDED_BY(mutex_);  // closed for a moment to decline a connection
  int64_t cut_off_ GUARDED_BY(mutex_) = 0;
};

}  // namespace singa
