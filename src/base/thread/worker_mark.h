// WorkerMark: what a worker or server does, for whoever looks whether it goes on (StallFinder in
// cluster). One thread at a time writes, in nanoseconds and without a lock (several of one worker
// by ThreadsMark); any thread may read.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace singa {

enum class Doing : uint8_t {
  kBetween,  // steps: nothing that could last
  // For others, whose work it is to go on.
  kAwaitsWorkers,
  kAwaitsServers,
  kAwaitsProcesses,
  // Its own work.
  kReading,
  kFeature,
  kGradient,
  kUpdating,
  kEvaluating,
  kMetrics,
  kCheckpoint,
  kServing,
};

class WorkerMark {
 public:
  struct State {
    uint64_t count = 0;  // of the times that it went on
    Doing doing = Doing::kBetween;
  };

  void SetStep(int64_t step) { step_.store(step, std::memory_order_relaxed); }
  // It goes on, and does this now. `layer`: its name, which outlives the readers, or null.
  void Set(Doing doing, const std::string* layer = nullptr) {
    layer_.store(layer, std::memory_order_release);
    const uint64_t count = state_.load(std::memory_order_relaxed) >> kBits;
    state_.store((count + 1) << kBits | static_cast<uint64_t>(doing), std::memory_order_release);
  }
  // It goes on with the same.
  void Tick() { Set(state().doing, layer()); }

  // As of one moment. What else it says is of that moment where the state is the same later.
  State state() const {
    const uint64_t both = state_.load(std::memory_order_acquire);
    return {both >> kBits, static_cast<Doing>(both & ((1 << kBits) - 1))};
  }
  const std::string* layer() const { return layer_.load(std::memory_order_acquire); }
  int64_t step() const { return step_.load(std::memory_order_relaxed); }

  // Does something for as long as it lives, and then what was done before.
  class Scope {
   public:
    // `mark` may be null.
    Scope(WorkerMark* mark, Doing doing, const std::string* layer = nullptr) : mark_(mark) {
      if (!mark_) return;
      doing_ = mark_->state().doing;
      layer_ = mark_->layer();
      mark_->Set(doing, layer);
    }
    ~Scope() {
      if (mark_) mark_->Set(doing_, layer_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    WorkerMark* const mark_;
    Doing doing_ = Doing::kBetween;
    const std::string* layer_ = nullptr;
  };

 private:
  static constexpr int kBits = 8;  // of a Doing

  std::atomic<uint64_t> state_{0};  // count and Doing
  std::atomic<const std::string*> layer_{nullptr};
  std::atomic<int64_t> step_{0};
};

}  // namespace singa
