// ControlChannel: control messages to and from other processes, and the error that ends the job.
// Threads that wait here for a message throw this error. Any thread may call.
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
  // How long a wait may last.
  enum class Wait {
    kProgress,  // until nobody in the job has gone on for the deadline
    kStart,     // for the deadline and start_timeout: nobody goes on yet who could renew it
    kEndless,
  };

  // Makes the channel of process `rank`, which sends by `out`. The pointers outlive it.
  ControlChannel(int rank, int processes, Outbox* out, const ProgressDeadline* deadline,
                 std::chrono::seconds start_timeout);

  void Send(int rank, const ControlMessage& control) { out_.Post(ControlTo(rank, control)); }
  // To all other processes but `except`.
  void SendToAll(const ControlMessage& control, int except = kNobody);
  // A ProcessState, in messages of a bounded size. Throws Error where it is too large.
  void SendState(int rank, const std::string& state);

  // An order of rank 0, or an answer or state of process `rank`, has come. Threads that wait for it
  // go on.
  void AddOrder(const ControlMessage& order);
  void AddAnswer(int rank, const ControlMessage& answer);
  void AddState(int rank, const Message& piece);

  // These throw the error that ends the job, and Error, kExitStalled, where the wait has lasted too
  // long. The next order of rank 0:
  ControlMessage AwaitOrder(Wait wait);
  // An answer of each process in `ranks`, in order.
  std::vector<ControlMessage> AwaitAnswers(ControlMessage::KindCase kind, Range ranks, Wait wait);
  std::vector<std::string> AwaitStates(Range ranks);

  // The first error ends the job.
  void Fail(std::exception_ptr error);
  bool failed();
  // Throws the error that ends the job, if there is one.
  void Check();
  // Waits for it, where it is sure to come: another process ends the job, or is lost.
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
  // By sender: what has come of a state so far, and a whole one that nobody has taken yet.
  std::map<int, std::string> coming_ GUARDED_BY(mutex_), states_ GUARDED_BY(mutex_);
};

}  // namespace singa
