// An ActivityMark says what a worker or server does, so that others can see whether it makes
// progress (StallDetector in cluster). One thread at a time writes it, in nanoseconds and without a
// lock; several threads of one worker write by ThreadsActivity. Any thread may read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace singa {

enum class Activity : uint8_t {
  kBetween,  // steps: no work that could last
  // Waits for others, whose work it is to go on.
  kAwaitsWorkers,
  kAwaitsServers,
  kAwaitsProcesses,
  // The worker's or server's own work.
  kReading,
  kFeature,
  kGradient,
  kUpdating,
  kEvaluating,
  kMetrics,
  kCheckpoint,
  kServing,
  kStartingMpi,
};

class ActivityMark {
 public:
  struct State {
    uint64_t count = 0;  // number of times that it made progress
    Activity activity = Activity::kBetween;
  };

  void SetStep(int64_t step) { step_.store(step, std::memory_order_relaxed); }
  // Notes progress, and what is done now. `layer`: the layer's name, which must outlive the
  // readers, or null.
  void Set(Activity activity, const std::string* layer = nullptr) {
    layer_.store(layer, std::memory_order_release);
    const uint64_t count = state_.load(std::memory_order_relaxed) >> kBits;
    state_.store((count + 1) << kBits | static_cast<uint64_t>(activity), std::memory_order_release);
  }
  // Notes progress in the same activity.
  void Tick() { Set(state().activity, layer()); }

  // Returns the state at one moment. layer() and step(), read afterwards, belong to it if the state
  // is still the same then.
  State state() const {
    const uint64_t both = state_.load(std::memory_order_acquire);
    return {both >> kBits, static_cast<Activity>(both & ((1 << kBits) - 1))};
  }
  const std::string* layer() const { return layer_.load(std::memory_order_acquire); }
  int64_t step() const { return step_.load(std::memory_order_relaxed); }

  // Marks an activity for as long as it lives, and then the one before again.
  class Scope {
   public:
    // `mark` may be null.
    Scope(ActivityMark* mark, Activity activity, const std::string* layer = nullptr) : mark_(mark) {
      if (!mark_) return;
      activity_ = mark_->state().activity;
      layer_ = mark_->layer();
      mark_->Set(activity, layer);
    }
    ~Scope() {
      if (mark_) mark_->Set(activity_, layer_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ActivityMark* const mark_;
    Activity activity_ = Activity::kBetween;
    const std::string* layer_ = nullptr;
  };

 private:
  static constexpr int kBits = 8;  // bits of an Activity

  std::atomic<uint64_t> state_{0};  // count and Activity
  std::atomic<const std::string*> layer_{nullptr};
  std::atomic<int64_t> step_{0};
};

}  // namespace singa
