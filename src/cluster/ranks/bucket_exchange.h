// BucketExchange is a thread that exchanges buckets of slices with the other processes of a worker
// group, one after the other, step after step, while the workers compute. It knows which steps the
// values of each slice include.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"
#include "comm/collective/slice_buckets.h"

namespace singa {

class BucketExchange {
 public:
  struct Setup {
    SliceTable table;
    std::vector<std::vector<int>> buckets;  // of slices, in the order of their exchanges
    std::vector<bool> waits;  // by slice: its bucket waits until the workers here have released it
    int64_t first_step = 0;
    // Runs on the thread, once for each step and bucket. The number of the exchange follows from
    // both, so that it is the same in all processes, and in a job that resumes. Throws the error
    // that ends the job.
    std::function<void(int64_t step, int64_t exchange, const std::vector<int>& bucket)> exchange;
    // Runs before that, as soon as the bucket's slices are released, in the thread that releases
    // the last one; may be empty. Not called for a bucket that waits for none.
    std::function<void(int64_t exchange, const std::vector<int>& bucket)> released = {};
    const ProgressDeadline* deadline = nullptr;  // of the waits; must outlive this
    // Is told of each slice that becomes fresh; may be empty.
    std::function<void(int slice, int64_t step)> fresh = {};
  };
  explicit BucketExchange(Setup setup);
  ~BucketExchange() { Stop(); }
  // Starts the thread.
  void Start() {
    thread_ = std::thread([this] { Run(); });
  }
  // Ends the thread, which must not wait for another process. What `exchange` uses must live until
  // then. All waits throw Stopped from now on.
  void Stop();

  // Any thread may call the methods below.

  // Lets the thread exchange the slice in `step`.
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
  // Blocks until the thread has done all exchanges of `step`. Throws as AwaitFresh does.
  void AwaitExchanged(int64_t step);

  // Makes all waits, now or later, throw `error`.
  void Fail(std::exception_ptr error);
  // Throws the error, if there is one.
  void Check();

 private:
  void Run();
  bool AwaitReleased(int64_t step, int bucket);
  void Complete(int bucket, int64_t step);
  void AwaitLocked(MutexLock* lock, const std::function<bool()>& done) REQUIRES(mutex_);

  const Setup setup_;
  std::vector<int> bucket_of_;  // by slice
  std::vector<int> waits_;      // by bucket: the slices that it waits for
  Mutex mutex_;
  std::condition_variable completed_;                 // the thread waits for released buckets
  std::condition_variable changed_;                   // workers wait for values and exchanges
  std::vector<int> released_ GUARDED_BY(mutex_);      // by bucket: slices, in the present step
  std::vector<int64_t> complete_ GUARDED_BY(mutex_);  // by bucket: steps in which it was released
  std::vector<int64_t> fresh_ GUARDED_BY(mutex_);     // by slice: steps that the values include
  int64_t exchanged_ GUARDED_BY(mutex_) = 0;          // steps whose exchanges are done
  int64_t dropped_ GUARDED_BY(mutex_) = -1;           // the last step that was left out
  std::exception_ptr failure_ GUARDED_BY(mutex_);
  std::thread thread_;  // runs Run
};

}  // namespace singa
