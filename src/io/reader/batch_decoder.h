// BatchDecoder: what one thread needs to read batches: a store of its own, and what makes rows of
// its records. Any number of them give the same batches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/reader/record_order.h"
#include "io/reader/row_decoder.h"
#include "io/store.h"

namespace singa {

// Records that cannot be read, each with the text of its DataError.
using BadRecords = std::map<int64_t, std::string>;

struct ReaderOptions {
  std::string backend;
  StoreOptions store;
  std::vector<int64_t> shape;  // of one record, planar
  Normalisation norm;
  OrderOptions order;
  int64_t batch = 0;            // rows of the whole group
  int64_t first = 0, rows = 0;  // own rows: [first, first + rows) of each batch
  int ring = 4;                 // batches decoded ahead, at most
  int threads = 1;              // that decode
  int64_t max_bad = 0;          // records that may be skipped as bad; 0: the first is an error

  // One batch a thread, and one to hand out meanwhile.
  int slots() const { return std::max(ring, threads + 1); }
  // Bytes that a reader holds for them.
  int64_t ring_bytes() const {
    int64_t row = sizeof(float);
    for (int64_t size : shape) row *= size;
    return slots() * rows * (row + static_cast<int64_t>(sizeof(int32_t)));  // with the label
  }
};

// The own rows of one batch.
struct Batch {
  std::vector<float> data;
  std::vector<int32_t> labels;
  BadRecords bad;  // that were met; more than max_bad: the rows are not all there
};

class BatchDecoder {
 public:
  // Opens the store. Throws DataError, FileError.
  explicit BatchDecoder(const ReaderOptions& options);

  int64_t records() const { return store_->size(); }
  std::vector<std::string> class_names() const { return store_->classes(); }
  void SetOrder(const OrderOptions& order);
  // Fills `batch` with the rows of the group's batch that starts at `position`. In place of a bad
  // record stands the next one of the store that is none, from its last to its first. Throws
  // DataError, FileError.
  void Decode(int64_t position, Batch* batch);

 private:
  // The row of `index`, or of the next record that is not bad; none once `bad` is too many.
  void DecodeRow(int64_t index, float* row, int32_t* label, BadRecords* bad);
  // False: the record is bad.
  bool TryRecord(int64_t index, float* row, int32_t* label);

  const ReaderOptions options_;
  std::unique_ptr<Store> store_;
  const RowDecoder rows_;
  OrderOptions order_options_;
  std::unique_ptr<RecordOrder> order_;  // null: to be made of order_options_
  BadRecords known_;                    // all that were met: none is read twice
};

}  // namespace singa
