#include "driver/bench/slice_times.h"

namespace singa {

void SliceTimes::Resize(int slices) {
  slices_ = slices;
  slots_ = std::vector<Slot>(slices * kKept);
  for (int64_t step = 0; step < kKept; ++step) Begin(step);
}

void SliceTimes::Begin(int64_t step) {
  Slot* const first = &slots_[step % kKept * slices_];
  for (int s = 0; s < slices_; ++s)
    for (std::atomic<int64_t>& time : first[s]) time = kNone;
}

SliceTimes::Times SliceTimes::Of(int64_t step, int slice) const {
  const Slot& slot = slots_[step % kKept * slices_ + slice];
  return {slot[kSum], slot[kSubmitted], slot[kFresh]};
}

void SliceTimes::Set(int64_t step, int slice, Event event) {
  int64_t none = kNone;
  slots_[step % kKept * slices_ + slice][event].compare_exchange_strong(none, clock_.Now());
}

}  // namespace singa
