// Connections are the open connections of a server, each with a thread. When more come than there
// are threads, it shuts down the connections that have waited longest for their clients. Their
// threads then close them. Any thread may call.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>

#include "base/thread/mutex.h"

namespace singa {

class Connections {
 public:
  // At most `most` are open.
  explicit Connections(size_t most) : most_(most) {}

  // A connection has come, and awaits a thread.
  void Announce();
  // A thread begins to serve an announced connection.
  void Begin(int socket);
  // A request has come.
  void Renew(int socket);
  // Called when the request is read, before the answer is made. Until EndAnswer the connection is
  // not shut down for another client.
  void BeginAnswer(int socket);
  void EndAnswer(int socket);
  // REQUIRES: called before the socket is closed.
  void End(int socket);
  // Ends the reading of all. Ends their writing, too, if they are open after a time.
  void EndAll();

 private:
  void LeaveRoom(size_t most) REQUIRES(mutex_);

  const size_t most_;
  Mutex mutex_;
  std::condition_variable ended_;
  size_t announced_ GUARDED_BY(mutex_) = 0;
  std::list<int> waiting_ GUARDED_BY(mutex_);  // the one that has waited longest is first
  std::list<int> answered_ GUARDED_BY(mutex_);
};

// AnswerMark calls BeginAnswer, and EndAnswer at its end.
class AnswerMark {
 public:
  AnswerMark(Connections* connections, int socket) : connections_(*connections), socket_(socket) {
    connections_.BeginAnswer(socket_);
  }
  ~AnswerMark() { connections_.EndAnswer(socket_); }
  AnswerMark(const AnswerMark&) = delete;
  AnswerMark& operator=(const AnswerMark&) = delete;

 private:
  Connections& connections_;
  const int socket_;
};

}  // namespace singa
