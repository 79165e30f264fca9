// RecordOrder: which record a worker group reads at each place of its endless sequence. The input
// layers of a phase have one order, so that record i of one meets record i of the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "singa/base/philox.h"

namespace singa {

// What decides the order. The number of workers of a group does not.
struct OrderOptions {
  bool shuffle = false;     // else the store's order
  int32_t random_skip = 0;  // the first epoch starts after U[0, random_skip] records
  uint64_t seed = 0;
  std::string stream = {};  // name of the randomness: that of the phase's first input layer
  int64_t group = 0;        // of `groups`: reads places [group n / groups, (group + 1) n / groups)
  int64_t groups = 1;       // of each epoch's order
};

// Records that the group reads in an epoch, of `records` in the store.
inline int64_t RecordsOfGroup(const OrderOptions& options, int64_t records) {
  return (options.group + 1) * records / options.groups - options.group * records / options.groups;
}

class RecordOrder {
 public:
  // `records` is the size of the store. Throws ConfigError("", ...) where a group gets no record.
  RecordOrder(const OrderOptions& options, int64_t records);

  // The record at `position` >= 0. Rising positions are cheap; a step back to another epoch draws
  // that epoch's order again.
  int64_t At(int64_t position);

  int64_t epoch_size() const { return end_ - begin_; }

 private:
  void Draw(int64_t epoch);

  OrderOptions options_;
  int64_t records_, begin_, end_;
  int64_t skip_ = 0;
  int64_t epoch_ = -1;          // whose order order_ is
  std::vector<int64_t> order_;  // empty without shuffle
};

}  // namespace singa
