// BatchDecoder lets one thread read batches: it has its own store and turns records into rows.
// Batches do not depend on the number of decoders.
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

// A store, and how its records become rows.
struct RowSource {
  std::string backend;
  StoreOptions store;
  std::vector<int64_t> shape;  // shape of one record, planar
  Normalisation norm;
  int64_t max_bad = 0;  // maximum number of bad records to skip; 0: the first one is an error
};

struct ReaderOptions : RowSource {
  OrderOptions order;
  int64_t batch = 0;            // rows of the whole group
  int64_t first = 0, rows = 0;  // rows of this worker: [first, first + rows) of each batch
  int ring = 4;                 // maximum number of batches decoded ahead
  int threads = 1;              // number of threads that decode
  // Stores that other input layers of the phase read in the same order. A record that is bad in one
  // store is skipped in all.
  std::vector<RowSource> beside = {};

  // Returns the number of batches in the ring: at least one for each thread, and one for the caller
  // of Next.
  int slots() const { return std::max(ring, threads + 1); }
  // Returns the bytes of the ring's batches.
  int64_t ring_bytes() const {
    int64_t numbers = 1;
    for (int64_t size : shape) numbers *= size;
    const int64_t bytes_of_row = (numbers + store.targets) * static_cast<int64_t>(sizeof(float)) +
                                 static_cast<int64_t>(sizeof(int32_t));  // the label
    return slots() * rows * bytes_of_row;
  }
};

// This worker's rows of one batch.
struct Batch {
  std::vector<float> data;
  std::vector<int32_t> labels;
  std::vector<float> targets;
  BadRecords bad;  // bad records found; if there are more than max_bad, rows are missing
  std::set<int64_t> bad_beside;  // records found that are bad in another store of the phase
};

// A store that remembers the bad records that were found.
class JudgedStore {
 public:
  // Opens the store. Throws DataError, FileError.
  explicit JudgedStore(const RowSource& source);

  Store& store() const { return *store_; }
  int64_t row_size() const { return rows_.size(); }
  const BadRecords& known() const { return known_; }
  // Reads a record; returns false if it is bad. `targets` has room for StoreOptions::targets
  // floats. Throws FileError, or DataError for a bad record if none may be skipped.
  bool Read(int64_t index, float* row, int32_t* label, float* targets = nullptr);
  // Returns whether the record can be read; tries each record once. Returns true if there is no
  // such record.
  bool IsGood(int64_t index);

 private:
  void CheckTargets(const Sample& sample, int64_t index) const;

  const bool has_label_, skips_;
  const int64_t targets_;  // targets of a record
  std::unique_ptr<Store> store_;
  const RowDecoder rows_;
  BadRecords known_;
  std::vector<bool> good_;                // records that IsGood found good
  std::vector<float> row_, row_targets_;  // buffers for rows that IsGood reads
};

class BatchDecoder {
 public:
  // Opens the store. Throws DataError, FileError.
  explicit BatchDecoder(const ReaderOptions& options);

  int64_t records() const { return own_.store().size(); }
  StoreFacts facts() const { return FactsOf(options_.backend, options_.store, &own_.store()); }
  void SetOrder(const OrderOptions& order);
  // Fills `batch` with this worker's rows of the group's batch that starts at `position`. A bad
  // record is replaced by the next record, cyclically, that is bad in no store of the phase. If
  // `drop` becomes true, it returns soon, with some of the rows. Throws DataError, FileError.
  void Decode(int64_t position, const std::atomic<bool>& drop, Batch* batch);

 private:
  // Decodes record `index`, or the next one that is not bad, as row `r` of the batch. Returns
  // without a row once too many are bad.
  void DecodeRow(int64_t index, const std::atomic<bool>& drop, int64_t r, Batch* batch);
  bool TooManyBad(const Batch& batch) const;

  const ReaderOptions options_;
  JudgedStore own_;
  std::vector<JudgedStore> beside_;
  int64_t max_bad_beside_ = 0;  // sum of max_bad of all stores in beside_
  OrderOptions order_options_;
  std::unique_ptr<RecordOrder> order_;  // null: not yet made from order_options_
};

}  // namespace singa
