// ControlChannel exchanges control messages with other processes, and holds the error that ends the
// job. Threads that wait here for a message throw this error. Any thread may call it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"
#include "cluster/protocol/topology.h"
#include "comm/message/control_message.h"

namespace singa {

class ControlChannel {
 public:
  // Says how long a wait may last.
  enum class Wait {
    kProgress,  // until nobody in the job has made progress for the deadline
    kStart,     // for the deadline and start_timeout, since nobody renews the deadline yet
    kEndless,
  };

  // Makes the channel of process `rank`, which sends by `out`. The pointers must outlive it.
  ControlChannel(int rank, int processes, Outbox* out, const ProgressDeadline* deadline,
                 std::chrono::seconds start_timeout);

  // Throws Error if the message is too large for a packet: a job.conf may have names of any length.
  void Send(int rank, const ControlMessage& control);
  // Sends to all other processes but `except`.
  void SendToAll(const ControlMessage& control, int except = kNobody);
  // Sends a ProcessState, in messages of a bounded size. Throws Error if it is too large.
  void SendState(int rank, const std::string& state);

  // Take an order of rank 0, or an answer or a piece of the state of process `rank`, and wake the
  // threads that wait for it.
  void AddOrder(const ControlMessage& order);
  void AddAnswer(int rank, const ControlMessage& answer);
  void AddState(int rank, const Message& piece);

  // The next three throw the job's error, or Error with kExitStalled after too long a wait.
  // AwaitOrder waits for the next order of rank 0.
  ControlMessage AwaitOrder(Wait wait);
  // Returns an answer of each process in `ranks`, in order.
  std::vector<ControlMessage> AwaitAnswers(ControlMessage::KindCase kind, Range ranks, Wait wait);
  std::vector<std::string> AwaitStates(Range ranks);

  // Sets the error that ends the job, if there is none yet.
  void Fail(std::exception_ptr error);
  bool failed();
  // Throws the error that ends the job, if there is one.
  void Check();
  // Waits for the error and throws it. REQUIRES: it is sure to come, since another process ends the
  // job or is lost.
  void AwaitFailure();

 private:
  static constexpr int kNobody = -1;

  template <typename Done>
  void Await(MutexLock* lock, Wait wait, int rank, const std::string& what, const Done& done)
      REQUIRES(mutex_);

  const int rank_, processes_;
  Outbox& out_;
  const ProgressDeadline& deadline_;
  const std::chrono::milliseconds start_timeout_;

  Mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_ GUARDED_BY(mutex_);
  std::deque<ControlMessage> orders_ GUARDED_BY(mutex_);
  // By kind and sender.
  std::map<std::pair<ControlMessage::KindCase, int>, ControlMessage> answers_ GUARDED_BY(mutex_);
  // By sender: the pieces of a state that have come so far, and complete states that nobody has
  // taken.
  std::map<int, std::string> coming_ GUARDED_BY(mutex_), states_ GUARDED_BY(mutex_);
};

}  // namespace singa
