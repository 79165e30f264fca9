#include "cluster/server/server_thread.h"

#include <utility>

#include "base/thread/thread.h"
#include "cluster/protocol/seconds.h"
#include "singa/base/error.h"

namespace singa {

ServerThread::ServerThread(const ServerSetup& setup, Outbox* out, ActivityMark* mark,
                           const ProgressDeadline* deadline,
                           std::function<void(const std::exception_ptr&)> failed)
    : failed_(std::move(failed)),
      mark_(*mark),
      deadline_(*deadline),
      self_(setup.self),
      server_(setup, out, this),
      thread_(StartThread([this] { Run(); })) {}

ServerThread::~ServerThread() {
  {
    const MutexLock lock(&mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ServerThread::Post(int rank, Message message) {
  {
    const MutexLock lock(&mutex_);
    queue_.emplace_back(rank, std::move(message));
  }
  changed_.notify_all();
}

void ServerThread::Do(const std::function<void(Server&)>& work,
                      const std::function<bool(Server&)>& done) {
  MutexLock lock(&mutex_);
  work_ = &work;
  done_ = &done;
  changed_.notify_all();
  const auto ended = [this]() REQUIRES(mutex_) { return done_ == nullptr || (failure_ && !busy_); };
  const bool in_time = deadline_.Wait(&changed_, &lock.native(), ended);
  if (!in_time && !failure_) failure_ = Stalled();
  // The thread's own work ends, or the watchdog finds that it does not.
  if (!in_time) changed_.wait(lock.native(), ended);
  work_ = nullptr;
  done_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

// Only the thread may ask the server while it is busy.
std::exception_ptr ServerThread::Stalled() const {
  const std::string waiting = busy_ ? "" : server_.Waiting();
  return std::make_exception_ptr(
      Error(kExitStalled, StrCat("server ", self_.id, " of group ", self_.group,
                                 " stands still, and nothing in the job made progress for ",
                                 Seconds(deadline_.longest()), ": ",
                                 waiting.empty() ? "other servers have not answered" : waiting)));
}

void ServerThread::Fail(std::exception_ptr error) {
  const MutexLock lock(&mutex_);
  if (!failure_) failure_ = std::move(error);
  changed_.notify_all();
}

void ServerThread::Diverged(const std::string& text) {
  failed_(std::make_exception_ptr(DivergedError(text)));
}

void ServerThread::Run() {
  try {
    Loop();
  } catch (...) {  // a user's updater, or no memory
    {
      const MutexLock lock(&mutex_);
      busy_ = false;
    }
    failed_(std::current_exception());
  }
}

void ServerThread::Loop() {
  MutexLock lock(&mutex_);
  for (;;) {
    changed_.wait(lock.native(),
                  [this]() REQUIRES(mutex_) { return stop_ || work_ || !queue_.empty(); });
    if (stop_) return;
    const auto* const work = queue_.empty() ? std::exchange(work_, nullptr) : nullptr;
    std::pair<int, Message> next;
    if (!work) {
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    const auto* const done = work_ ? nullptr : done_;  // `done` is not asked before the work
    busy_ = true;
    lock.Unlock();
    bool is_done = false;
    {
      mark_.SetStep(next.second.head.step());
      const ActivityMark::Scope serves(&mark_, Activity::kServing);
      if (work)
        (*work)(server_);
      else
        server_.OnMessage(next.first, next.second);
      is_done = done && (*done)(server_);
    }
    lock.Lock();
    busy_ = false;
    if (is_done) done_ = nullptr;
    if (is_done || failure_) changed_.notify_all();
  }
}

}  // namespace singa
