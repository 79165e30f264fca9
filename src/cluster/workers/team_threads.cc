#include "cluster/workers/team_threads.h"

#include <utility>

#include "base/thread/omp_threads.h"
#include "base/thread/stopped.h"
#include "base/thread/thread.h"

namespace singa {
namespace {

bool IsStopped(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Stopped&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

TeamThreads::TeamThreads(int workers, int omp_threads, Calls calls)
    : workers_(workers), omp_threads_(omp_threads), calls_(std::move(calls)), errors_(workers) {
  try {
    threads_.reserve(workers);
    for (int i = 1; i < workers; ++i) threads_.push_back(StartThread([this, i] { ThreadLoop(i); }));
  } catch (...) {
    EndThreads();
    throw;
  }
}

void TeamThreads::EndThreads() {
  work_ = nullptr;
  ++turn_;
  began_.Tell();
  for (std::thread& thread : threads_) thread.join();
}

void TeamThreads::ThrowFirstError() const {
  std::exception_ptr first;
  for (const std::exception_ptr& error : errors_)
    if (error && (!first || IsStopped(first))) first = error;
  if (first) std::rethrow_exception(first);
}

void TeamThreads::Run(const std::function<void(size_t)>& work) {
  work_ = &work;
  done_ = 0;
  ++turn_;
  began_.Tell();
  RunOne(0);
  // The wait ends: each worker works, which the watchdog checks, or waits with a deadline, or is
  // stopped.
  ended_.Await([&] { return done_ == threads_.size(); }, workers_, nullptr, nullptr);
}

// Runs the work for one worker. If it fails, the others stop, wherever they wait for it.
void TeamThreads::RunOne(size_t i) {
  try {
    (*work_)(i);
  } catch (...) {
    errors_[i] = std::current_exception();
    calls_.stop();
    if (calls_.failed && !IsStopped(errors_[i])) calls_.failed(errors_[i]);
  }
}

void TeamThreads::ThreadLoop(size_t i) {
  SetOmpThreads(omp_threads_);
  for (uint32_t turn = 0;; ++turn) {
    // Waits for work, as long as the team lives.
    began_.Await([&] { return turn_ != turn; }, workers_, nullptr, nullptr);
    if (!work_) return;
    RunOne(i);
    ++done_;
    ended_.Tell();
  }
}

}  // namespace singa
