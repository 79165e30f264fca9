// BatchReader: a worker's rows of each batch of its group, decoded ahead by threads of its own
// into a ring. All functions are for one thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/thread/mutex.h"
#include "io/reader/batch_decoder.h"
#include "io/reader/skipped_records.h"
#include "singa/tensor/context.h"

namespace singa {

class BatchReader {
 public:
  // The threads open the store, each for itself: what goes wrong there is thrown by the next Next
  // or Records.
  explicit BatchReader(const ReaderOptions& options);
  ~BatchReader();
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  // Waits until Next need not wait. False: `stop`, which is asked every 0.1 s, was true before.
  bool Await(const std::function<bool()>& stop);
  // Copies out the own rows of the next batch, by the context's threads; `labels` may be null; -1
  // is a row without a label. Waits for the threads that decode. Throws what one of them met at
  // this batch, again and again until Seek: DataError, FileError.
  void Next(const Context& ctx, float* data, int32_t* labels);

  // Records of the whole group that Next has handed out, since record 0 of epoch 0.
  int64_t position() const { return position_; }
  // The next batch starts at `position`, which is >= 0. Batches that are being decoded are dropped.
  void Seek(int64_t position) { Seek(position, options_.order); }
  // Likewise, in another order.
  void Seek(int64_t position, const OrderOptions& order);

  // The record that is row `row` of the batch that Next gave last.
  int64_t RecordOfRow(int64_t row);

  // Records of the store, and what else it says of itself. They wait until it is open.
  int64_t Records();
  StoreFacts Facts();

  // The bad records that batches of Next had, and what an earlier run says of them.
  const SkippedRecords& skipped() const { return skipped_; }
  void RestoreSkipped(const std::vector<int64_t>& records) { skipped_.Restore(records); }

  // Milliseconds that Next has waited since the last call.
  double TakeWaitMs();

 private:
  // A place of the ring: free, then claimed by the thread that fills it, then done.
  struct Slot {
    Batch batch;
    std::exception_ptr error;  // in place of the batch
    bool done = false;
  };

  bool AwaitBatch(MutexLock* lock, const std::function<bool()>& stop) REQUIRES(mutex_);
  void AwaitStore(MutexLock* lock) REQUIRES(mutex_);
  void StartThreads();
  void Run(int thread);
  void DecodeUntilStopped(BatchDecoder* decoder);
  bool MayClaim() const REQUIRES(mutex_) {
    return !seeking_ && !failed_ && claimed_ < static_cast<int64_t>(ring_.size());
  }

  const ReaderOptions options_;
  int64_t position_ = 0;
  double wait_ms_ = 0;
  SkippedRecords skipped_;

  std::atomic<bool> drop_{false};  // nobody wants what is being decoded
  Mutex mutex_;
  std::condition_variable changed_;
  bool stop_ GUARDED_BY(mutex_) = false;
  bool seeking_ GUARDED_BY(mutex_) = false;
  int64_t records_ GUARDED_BY(mutex_) = -1;             // -1: the store is not open yet
  std::optional<StoreFacts> facts_ GUARDED_BY(mutex_);  // none: not yet
  std::exception_ptr open_error_ GUARDED_BY(mutex_);    // for good
  // A claimed slot has an error: those after it are not wanted.
  bool failed_ GUARDED_BY(mutex_) = false;
  int64_t next_ GUARDED_BY(mutex_) = 0;  // position of the next batch to be claimed
  OrderOptions order_ GUARDED_BY(mutex_);
  uint64_t seeks_ GUARDED_BY(mutex_) = 0;  // number of calls of Seek: each may change order_
  // Slots [head_, head_ + claimed_) modulo ring_.size(), in order.
  int64_t head_ GUARDED_BY(mutex_) = 0;
  int64_t claimed_ GUARDED_BY(mutex_) = 0;
  int busy_ GUARDED_BY(mutex_) = 0;  // slots that are claimed and not done
  // The content of a slot belongs to the thread that claimed it, and then to the caller of Next.
  std::vector<Slot> ring_ GUARDED_BY(mutex_);

  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace singa
