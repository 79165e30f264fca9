// BatchReader: a worker's rows of each batch of its group, decoded ahead by a thread of its own
// into a ring that is allocated once. All functions are for one thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/record_order.h"
#include "io/row_decoder.h"
#include "io/store.h"

namespace singa {

struct ReaderOptions {
  std::string backend;
  StoreOptions store;
  std::vector<int64_t> shape;  // of one record, planar
  Normalisation norm;
  OrderOptions order;
  int64_t batch = 0;            // rows of the whole group
  int64_t first = 0, rows = 0;  // own rows: [first, first + rows) of each batch
  int ring = 4;                 // batches decoded ahead, at most

  // Bytes that a reader holds for them.
  int64_t ring_bytes() const {
    int64_t row = sizeof(float);
    for (int64_t size : shape) row *= size;
    return ring * rows * (row + static_cast<int64_t>(sizeof(int32_t)));  // with the label
  }
};

class BatchReader {
 public:
  // Opens the store in the thread: what goes wrong there is thrown by the first Next or Records.
  explicit BatchReader(const ReaderOptions& options);
  ~BatchReader();
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  // Copies out the own rows of the next batch; `labels` may be null; -1 is a row without a label.
  // Waits for the thread.
  // Throws what the thread met at this batch, again and again until Seek: DataError, FileError.
  void Next(float* data, int32_t* labels);

  // Records of the whole group that Next has handed out, since record 0 of epoch 0.
  int64_t position() const { return position_; }
  // The next batch starts at `position`, which is >= 0.
  void Seek(int64_t position) { Seek(position, options_.order); }
  // Likewise, in another order.
  void Seek(int64_t position, const OrderOptions& order);

  // The record that is row `row` of the batch that Next gave last.
  int64_t RecordOfRow(int64_t row);

  // Records of the store. Waits until it is open.
  int64_t Records();

  // Milliseconds that Next has waited since the last call.
  double TakeWaitMs();

 private:
  struct Slot {
    std::vector<float> data;
    std::vector<int32_t> labels;
  };

  void Run();
  void Decode(int64_t position, RecordOrder* order, Slot* slot);
  void DecodeUntilStopped();
  void AllocateRing();

  const ReaderOptions options_;
  int64_t position_ = 0;
  double wait_ms_ = 0;

  // The thread's alone.
  std::unique_ptr<Store> store_;
  std::unique_ptr<RowDecoder> decoder_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stop_ = false;
  int64_t records_ = -1;           // -1: the store is not open yet
  std::exception_ptr open_error_;  // for good
  std::exception_ptr error_;       // at decode_position_
  int64_t decode_position_ = 0;
  OrderOptions order_;
  uint64_t seeks_ = 0;            // what was decoded before the last one is void
  int64_t head_ = 0, count_ = 0;  // slots [head_, head_ + count_) modulo ring_.size() are full
  std::vector<Slot> ring_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace singa
