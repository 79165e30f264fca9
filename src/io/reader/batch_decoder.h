// BatchDecoder: what one thread needs to read batches: a store of its own, and what makes rows of
// its records. Any number of them give the same batches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "io/reader/record_order.h"
#include "io/reader/row_decoder.h"
#include "io/store/store.h"
#include "io/store/store_facts.h"

namespace singa {

// Records that cannot be read, each with the text of its DataError.
using BadRecords = std::map<int64_t, std::string>;

// A store, and how rows are made of its records.
struct RowSource {
  std::string backend;
  StoreOptions store;
  std::vector<int64_t> shape;  // of one record, planar
  Normalisation norm;
  int64_t max_bad = 0;  // records that may be skipped as bad; 0: the first is an error
};

struct ReaderOptions : RowSource {
  OrderOptions order;
  int64_t batch = 0;            // rows of the whole group
  int64_t first = 0, rows = 0;  // own rows: [first, first + rows) of each batch
  int ring = 4;                 // batches decoded ahead, at most
  int threads = 1;              // that decode
  // Stores that other input layers of the phase read in the same order, and whose bad records are
  // skipped. A record that is bad in one of them is skipped in all.
  std::vector<RowSource> beside = {};

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
  BadRecords bad;                // that were met; more than max_bad: the rows are not all there
  std::set<int64_t> bad_beside;  // that were met, and are bad in another store of the phase
};

// A store whose bad records are known once they were met.
class JudgedStore {
 public:
  // Opens the store. Throws DataError, FileError.
  explicit JudgedStore(const RowSource& source);

  Store& store() const { return *store_; }
  int64_t row_size() const { return rows_.size(); }
  const BadRecords& known() const { return known_; }
  // False: the record is bad. Throws DataError for it where none may be skipped; FileError.
  bool Read(int64_t index, float* row, int32_t* label);
  // Whether the record can be read; each is tried once. True for one that is not there.
  bool IsGood(int64_t index);

 private:
  const bool has_label_, skips_;
  std::unique_ptr<Store> store_;
  const RowDecoder rows_;
  BadRecords known_;
  std::vector<bool> good_;  // of those that IsGood has tried
  std::vector<float> row_;  // what IsGood reads and nobody wants
};

class BatchDecoder {
 public:
  // Opens the store. Throws DataError, FileError.
  explicit BatchDecoder(const ReaderOptions& options);

  int64_t records() const { return own_.store().size(); }
  StoreFacts facts() const { return FactsOf(options_.backend, options_.store, &own_.store()); }
  void SetOrder(const OrderOptions& order);
  // Fills `batch` with the rows of the group's batch that starts at `position`. In place of a bad
  // record stands the next one that is bad in no store of the phase, from the last to the first.
  // Where `drop` is true meanwhile, it returns soon, with some of the rows. Throws DataError,
  // FileError.
  void Decode(int64_t position, const std::atomic<bool>& drop, Batch* batch);

 private:
  // The row of `index`, or of the next record that is not bad; none once too many are.
  void DecodeRow(int64_t index, const std::atomic<bool>& drop, float* row, int32_t* label,
                 Batch* batch);
  bool TooManyBad(const Batch& batch) const;

  const ReaderOptions options_;
  JudgedStore own_;
  std::vector<JudgedStore> beside_;
  int64_t max_bad_beside_ = 0;  // of all of them
  OrderOptions order_options_;
  std::unique_ptr<RecordOrder> order_;  // null: to be made of order_options_
};

}  // namespace singa
