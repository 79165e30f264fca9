// ServerThread runs a Server on a thread, with a queue of messages.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "base/thread/activity_mark.h"
#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"
#include "cluster/server/server.h"

namespace singa {

class ServerThread final : private ServerEvents {
 public:
  // `mark`: the thread's activity; `deadline`: of threads that wait for it; `failed` is called
  // once, by the thread, with the error that ends the job. All must outlive it. Throws ConfigError
  // relative to the JobProto.
  ServerThread(const ServerSetup& setup, Outbox* out, ActivityMark* mark,
               const ProgressDeadline* deadline,
               std::function<void(const std::exception_ptr&)> failed);
  ~ServerThread() override;
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;

  // Queues a message from process `rank`, which is authenticated. Any thread may call it.
  void Post(int rank, Message message);
  // Makes the thread do `work` once it has no message left, and waits until `done` holds, then or
  // after a later message. Throws the error that Fail was given, or Error with kExitStalled, which
  // says what the server waits for.
  void Do(const std::function<void(Server&)>& work, const std::function<bool(Server&)>& done);
  // Makes Do throw `error` from now on.
  void Fail(std::exception_ptr error);

 private:
  void Diverged(const std::string& text) override;
  void Run();
  void Loop();
  std::exception_ptr Stalled() const REQUIRES(mutex_);

  const std::function<void(const std::exception_ptr&)> failed_;
  ActivityMark& mark_;
  const ProgressDeadline& deadline_;
  const RoleId self_;
  Server server_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<int, Message>> queue_ GUARDED_BY(mutex_);
  const std::function<void(Server&)>* work_ GUARDED_BY(mutex_) = nullptr;
  // The condition that Do waits for; null: nobody waits.
  const std::function<bool(Server&)>* done_ GUARDED_BY(mutex_) = nullptr;
  // The thread works outside the lock.
  bool busy_ GUARDED_BY(mutex_) = false;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::exception_ptr failure_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace singa
