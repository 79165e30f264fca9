// BucketExchange exchanges buckets of slices with the other processes of a worker group, one after
// the other, step after step. Its thread does so while the workers compute, and a worker that waits
// for values helps. BucketExchange knows which steps the values of each slice include.
#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"
#include "base/thread/thread.h"
#include "comm/collective/slice_buckets.h"

namespace singa {

class BucketExchange {
 public:
  // Work for one bucket. The number of the exchange follows from step and bucket, so that it is the
  // same in all processes, and in a job that resumes. Throws the error that ends the job.
  using Work = std::function<void(int64_t step, int64_t exchange, const std::vector<int>& bucket)>;
  struct Setup {
    SliceTable table;
    std::vector<std::vector<int>> buckets;  // of slices, in the order of their exchanges
    std::vector<bool> waits;  // by slice: its bucket waits until the workers here have released it
    int64_t first_step = 0;
    // Runs once for each step and bucket, in order, in one thread at a time: BucketExchange's, or
    // one that waits.
    Work exchange;
    // Runs before that, in order, as soon as the bucket's slices are released, so that later
    // buckets of the step may begin before an earlier one is exchanged; may be empty.
    Work begin = {};
    // Runs before both in the thread that releases the bucket's last slice, or, if BucketExchange
    // has no thread, in one that waits; may be empty. Not called for a bucket that waits for none.
    Work released = {};
    const ProgressDeadline* deadline = nullptr;  // of the waits; must outlive this
    // Is told of each slice that becomes fresh; may be empty.
    std::function<void(int slice, int64_t step)> fresh = {};
  };
  explicit BucketExchange(Setup setup);
  ~BucketExchange() { Stop(); }
  // Starts the thread. Without it, workers exchange the buckets when they wait for values.
  void Start() {
    threaded_ = true;
    thread_ = StartThread([this] { Run(); });
  }
  // Ends the thread, which must not wait for another process. What `exchange` uses must live until
  // then. All waits throw Stopped from now on.
  void Stop();

  // Any thread may call the methods below.

  // Lets the slice be exchanged in `step`.
  void Release(int slice, int64_t step);
  // Does so for all slices for which which(slice) holds.
  void Release(int64_t step, const std::function<bool(int slice)>& which);
  // Notes that the values of these slices include `step`.
  void MarkFresh(int64_t step, std::span<const int> slices);
  // Leaves `step` out: it is not exchanged any more, and the values are as after it.
  void Drop(int64_t step);

  // These block until the values of the slices [first, last), or of all, include all steps before
  // `step`. They throw the error of Fail or of an exchange, and Error with kExitStalled after the
  // deadline.
  void AwaitFresh(int first, int last, int64_t step);
  void AwaitFresh(int64_t step) { AwaitFresh(0, setup_.table.size(), step); }
  // Blocks until all exchanges of `step` are done. Throws as AwaitFresh does.
  void AwaitExchanged(int64_t step);

  // Makes all waits, now or later, throw `error`.
  void Fail(std::exception_ptr error);
  // Throws the error, if there is one.
  void Check();

 private:
  void Run();
  // A bucket passes these in each step.
  enum Stage { kReleased, kBegun, kExchanged, kStages };

  int buckets() const { return static_cast<int>(setup_.buckets.size()); }
  int64_t NumberOf(int64_t step, int bucket) const { return step * buckets() + bucket; }
  const Work& WorkOf(Stage stage, int bucket) const;
  // Returns whether the next bucket may pass the stage.
  bool CanPass(Stage stage) const REQUIRES(mutex_);
  // Returns the first stage that a bucket can pass; kStages: none, or another thread works.
  Stage Next() const REQUIRES(mutex_);
  // Lets the next bucket pass `stage`, without the lock. REQUIRES: stage == Next().
  void Pass(Stage stage, MutexLock* lock) REQUIRES(mutex_);
  void Complete(int bucket, int64_t step);
  void AwaitLocked(MutexLock* lock, const std::function<bool()>& done) REQUIRES(mutex_);

  const Setup setup_;
  std::vector<int> bucket_of_;  // by slice
  std::vector<int> waits_;      // by bucket: the slices that it waits for
  Mutex mutex_;
  std::condition_variable completed_;                 // the thread waits for a bucket
  std::condition_variable changed_;                   // workers wait for values, or a bucket
  std::vector<int> released_ GUARDED_BY(mutex_);      // by bucket: slices, in the present step
  std::vector<int64_t> complete_ GUARDED_BY(mutex_);  // by bucket: steps in which it was released
  std::vector<int64_t> fresh_ GUARDED_BY(mutex_);     // by slice: steps that the values include
  int64_t exchanged_ GUARDED_BY(mutex_) = 0;          // steps whose exchanges are done
  // By stage: the buckets that have passed it in the step after the exchanged ones.
  std::array<int, kStages> passed_ GUARDED_BY(mutex_) = {};
  bool working_ GUARDED_BY(mutex_) = false;  // some thread lets a bucket pass
  int64_t dropped_ GUARDED_BY(mutex_) = -1;  // the last step that was left out
  std::exception_ptr failure_ GUARDED_BY(mutex_);
  bool threaded_ = false;  // Start was called
  std::thread thread_;     // runs Run
};

}  // namespace singa
