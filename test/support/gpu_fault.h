// GpuFault says how an emulated GPU fails, and when.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "singa/base/error.h"

namespace singa {

class GpuFault {
 public:
  enum Kind : uint8_t {
    kLost,            // each use of it fails
    kStandsStill,     // a wait for it never ends
    kStandsAfterLoss  // as kStandsStill, once another GPU of this process is lost
  };

  GpuFault() = default;  // no fault
  // The fault begins after `works` pieces of work. kStandsAfterLoss ignores their number.
  GpuFault(Kind kind, int64_t works) : kind_(kind), works_(works) {}

  // Called before each piece of work, with the number of pieces done. Throws or stands still if the
  // fault has begun.
  void Meet(int64_t works) const {
    if (kind_ == kStandsAfterLoss && one_is_lost_) StandStill();
    if (kind_ == kStandsAfterLoss || works < works_) return;
    if (kind_ == kStandsStill) StandStill();
    one_is_lost_ = true;
    throw DeviceError("the emulated GPU is lost");
  }

  // While it lives, the calling thread calls `look` whenever it waits for a GPU that stands still.
  // `look` may throw.
  class Meanwhile {
   public:
    explicit Meanwhile(std::function<void()> look) : look_(std::move(look)), before_(looks()) {
      looks() = &look_;
    }
    ~Meanwhile() { looks() = before_; }
    Meanwhile(const Meanwhile&) = delete;

   private:
    const std::function<void()> look_;
    const std::function<void()>* const before_;
  };

 private:
  static const std::function<void()>*& looks() {
    static thread_local const std::function<void()>* look = nullptr;
    return look;
  }
  [[noreturn]] static void StandStill() {
    for (;; usleep(1000))
      if (looks()) (*looks())();
  }

  static inline std::atomic<bool> one_is_lost_{false};
  Kind kind_ = kLost;
  int64_t works_ = std::numeric_limits<int64_t>::max();
};

}  // namespace singa
