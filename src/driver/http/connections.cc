#include "driver/http/connections.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>

namespace singa {
namespace {

constexpr std::chrono::seconds kEndTime{10};  // for the answers to requests that are there

// Moves an entry from one list to the end of another.
void MoveEntry(int socket, std::list<int>* from, std::list<int>* to) {
  const auto found = std::find(from->begin(), from->end(), socket);
  if (found != from->end()) to->splice(to->end(), *from, found);
}

}  // namespace

void Connections::Announce() {
  const MutexLock lock(&mutex_);
  ++announced_;
  LeaveRoom(most_);
}

void Connections::Begin(int socket) {
  const MutexLock lock(&mutex_);
  --announced_;
  waiting_.push_back(socket);
  LeaveRoom(most_);
}

void Connections::Renew(int socket) {
  const MutexLock lock(&mutex_);
  MoveEntry(socket, &waiting_, &waiting_);
}

void Connections::BeginAnswer(int socket) {
  const MutexLock lock(&mutex_);
  MoveEntry(socket, &waiting_, &answered_);
}

void Connections::EndAnswer(int socket) {
  const MutexLock lock(&mutex_);
  MoveEntry(socket, &answered_, &waiting_);
}

void Connections::End(int socket) {
  const MutexLock lock(&mutex_);
  waiting_.remove(socket);
  ended_.notify_all();
}

void Connections::EndAll() {
  MutexLock lock(&mutex_);
  for (const std::list<int>* sockets : {&waiting_, &answered_})
    for (const int socket : *sockets) ::shutdown(socket, SHUT_RD);
  ended_.wait_for(lock.native(), kEndTime, [this]() REQUIRES(mutex_) {
    return waiting_.empty() && answered_.empty() && announced_ == 0;
  });
  for (const std::list<int>* sockets : {&waiting_, &answered_})
    for (const int socket : *sockets) ::shutdown(socket, SHUT_RDWR);
}

void Connections::LeaveRoom(size_t most) {
  while (!waiting_.empty() && waiting_.size() + answered_.size() + announced_ > most) {
    ::shutdown(waiting_.front(), SHUT_RDWR);
    waiting_.pop_front();
  }
}

}  // namespace singa
