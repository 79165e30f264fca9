// BatchReader gives a worker's rows of each batch of its group. Its own threads decode them ahead
// into a ring. One thread calls all functions.
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
  // Starts the threads, each of which opens the store. The next Next or Records throws their
  // errors.
  explicit BatchReader(const ReaderOptions& options);
  ~BatchReader();
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  // Blocks until Next need not wait. Calls `stop` every 0.1 s, and returns false if it returns true
  // before that.
  bool Await(const std::function<bool()>& stop);
  // Copies this worker's rows of the next batch, with the context's threads. `labels` and `targets`
  // may be null; label -1 is a row without a label. Blocks until the batch is decoded. Throws
  // DataError or FileError if decoding this batch failed, and again at each call until Seek.
  void Next(const Context& ctx, float* data, int32_t* labels, float* targets = nullptr);

  // Returns the number of records of the whole group that Next has given, since record 0 of epoch
  // 0.
  int64_t position() const { return position_; }
  // Makes the next batch start at `position` >= 0. Drops batches that are decoded or being decoded.
  void Seek(int64_t position) { Seek(position, options_.order); }
  // Does the same with another order of records.
  void Seek(int64_t position, const OrderOptions& order);

  // Returns the record in row `row` of the batch that Next gave last.
  int64_t RecordOfRow(int64_t row);

  // Return the number of records, and the facts, of the store. Both wait until it is open.
  int64_t Records();
  StoreFacts Facts();

  // Bad records in the batches of Next, and those restored from an earlier run.
  const SkippedRecords& skipped() const { return skipped_; }
  void RestoreSkipped(const std::vector<int64_t>& records) { skipped_.Restore(records); }

  // Returns the milliseconds that Next has waited since the last call.
  double TakeWaitMs();

 private:
  // A slot of the ring: free, then claimed by the thread that fills it, then done.
  struct Slot {
    Batch batch;
    std::exception_ptr error;  // not null: decoding the batch failed
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

  std::atomic<bool> drop_{false};  // batches being decoded are not needed
  Mutex mutex_;
  std::condition_variable changed_;
  bool stop_ GUARDED_BY(mutex_) = false;
  bool seeking_ GUARDED_BY(mutex_) = false;
  int64_t records_ GUARDED_BY(mutex_) = -1;             // -1: the store is not open yet
  std::optional<StoreFacts> facts_ GUARDED_BY(mutex_);  // not set: not open yet
  std::exception_ptr open_error_ GUARDED_BY(mutex_);  // not null: a thread could not open the store
  // Whether a claimed slot has an error. Then no thread claims more slots.
  bool failed_ GUARDED_BY(mutex_) = false;
  int64_t next_ GUARDED_BY(mutex_) = 0;  // position of the next batch to claim
  OrderOptions order_ GUARDED_BY(mutex_);
  uint64_t seeks_ GUARDED_BY(mutex_) = 0;  // number of calls of Seek: each may change order_
  // Slots [head_, head_ + claimed_) modulo ring_.size(), in order.
  int64_t head_ GUARDED_BY(mutex_) = 0;
  int64_t claimed_ GUARDED_BY(mutex_) = 0;
  int busy_ GUARDED_BY(mutex_) = 0;  // slots that are claimed and not done
  // The content of a slot belongs to the thread that claimed it, and then to the caller of Next.
  std::vector<Slot> ring_ GUARDED_BY(mutex_);

  std::vector<std::thread> threads_;  // must be last: they use the members above
};

}  // namespace singa
