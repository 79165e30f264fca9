#include "driver/signals/termination_watch.h"

#include <chrono>
#include <utility>

#include "base/thread/thread.h"
#include "driver/signals/interrupt.h"

namespace singa {
namespace {

constexpr auto kLook = std::chrono::milliseconds(100);

}  // namespace

TerminationWatch::TerminationWatch(std::function<void()> asked)
    : asked_(std::move(asked)), thread_(StartThread([this] { Run(); })) {}

TerminationWatch::~TerminationWatch() {
  {
    const MutexLock lock(&mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void TerminationWatch::Run() {
  MutexLock lock(&mutex_);
  while (!changed_.wait_for(lock.native(), kLook, [this]() REQUIRES(mutex_) { return ends_; })) {
    if (InterruptCode() == kExitOk) continue;
    lock.Unlock();
    return asked_();
  }
}

}  // namespace singa
