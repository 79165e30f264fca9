// SliceTimes notes when the gradient of each slice was added up, handed on, and came back as
// values, in the last steps. Any thread may call its events while one thread reads it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/thread/clock.h"
#include "train/apply/slice_events.h"

namespace singa {

class SliceTimes final : public SliceEvents {
 public:
  static constexpr int64_t kNone = -1;  // the event has not come

  struct Times {  // of the clock
    int64_t sum = kNone, submitted = kNone, fresh = kNone;
  };

  // `clock` must outlive it.
  explicit SliceTimes(const Clock* clock) : clock_(*clock) {}

  // Makes room for `slices` slices. Called before the first step.
  void Resize(int slices);
  // Begins `step`, and forgets the one kKept steps before. Called when its events are long over.
  void Begin(int64_t step);
  Times Of(int64_t step, int slice) const;

  void OnSum(int slice, int64_t step) override { Set(step, slice, kSum); }
  void OnSubmitted(int slice, int64_t step) override { Set(step, slice, kSubmitted); }
  void OnFresh(int slice, int64_t step) override { Set(step, slice, kFresh); }

 private:
  static constexpr int64_t kKept = 4;  // steps
  enum Event : unsigned char { kSum, kSubmitted, kFresh, kEvents };
  using Slot = std::array<std::atomic<int64_t>, kEvents>;

  // Sets the time of an event, if it is the first of its kind.
  void Set(int64_t step, int slice, Event event);

  const Clock& clock_;
  int slices_ = 0;
  std::vector<Slot> slots_;  // by step % kKept and slice
};

}  // namespace singa
