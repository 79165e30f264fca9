#include "driver/plan/part_meeting.h"

#include "base/thread/futex.h"
#include "base/thread/spin_wait.h"

namespace singa {

void PartMeeting::Arrive(int part) {
  arrived_[part].fetch_add(1, std::memory_order_release);
  FutexTell(&changed_);
}

void PartMeeting::Await(int64_t count) {
  for (;;) {
    const uint32_t seen = changed_.load(std::memory_order_acquire);
    if (ended_ || AllArrived(count)) return;
    SpinWait(changed_, seen, parts_);
  }
}

void PartMeeting::End() {
  ended_ = true;
  FutexTell(&changed_);
}

bool PartMeeting::AllArrived(int64_t count) const {
  for (int part = 0; part < parts_; ++part)
    if (arrived_[part].load(std::memory_order_acquire) < count) return false;
  return true;
}

}  // namespace singa
