// WorstRecords keeps the records with the largest losses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace singa {

// A record, or one of its time steps. Each kind of report uses some of the fields.
struct WorstRecord {
  double loss = 0;
  int64_t order = 0;  // set by WorstRecords
  std::string name = {};
  int64_t step = -1;                   // -1: it has one step
  int32_t label = -1, predicted = -1;  // classes
  float probability = 0;               // of the predicted class
  std::vector<float> targets = {}, scores = {};
};

class WorstRecords {
 public:
  // most: number of records that it keeps.
  explicit WorstRecords(int64_t most) : most_(static_cast<size_t>(most)) {}

  // Returns whether Add would keep a record of this loss, which is not nan.
  bool Takes(double loss) const {
    return most_ > 0 && (heap_.size() < most_ || loss > heap_.front().loss);
  }
  // Adds a record. REQUIRES: Takes(record.loss).
  void Add(WorstRecord record) {
    if (heap_.size() == most_) {
      std::pop_heap(heap_.begin(), heap_.end(), IsWorse);
      heap_.pop_back();
    }
    record.order = next_++;
    heap_.push_back(std::move(record));
    std::push_heap(heap_.begin(), heap_.end(), IsWorse);
  }
  // Returns the records, the worst first. Of equal losses the earlier record comes first.
  std::vector<WorstRecord> Sorted() const {
    std::vector<WorstRecord> sorted = heap_;
    std::sort(sorted.begin(), sorted.end(), IsWorse);
    return sorted;
  }

 private:
  static bool IsWorse(const WorstRecord& a, const WorstRecord& b) {
    return a.loss != b.loss ? a.loss > b.loss : a.order < b.order;
  }

  const size_t most_;
  int64_t next_ = 0;
  std::vector<WorstRecord> heap_;  // the least bad record first
};

}  // namespace singa
