// RecordOrder says which record a worker group reads at each position of its endless sequence. The
// input layers of a phase have one order, so that record i of one meets record i of the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "singa/base/philox.h"

namespace singa {

// Settings of the order. It does not depend on the number of workers of a group.
struct OrderOptions {
  bool shuffle = false;     // false: the store's order
  int32_t random_skip = 0;  // the first epoch starts after U[0, random_skip] records
  uint64_t seed = 0;
  std::string stream = {};  // name of the random stream: the phase's first input layer
  int64_t group = 0;        // this group reads places [group n / groups, (group + 1) n / groups)
  int64_t groups = 1;       // of each epoch's order
};

// Returns the number of records that the group reads in an epoch, of `records` in the store.
inline int64_t RecordsOfGroup(const OrderOptions& options, int64_t records) {
  return (options.group + 1) * records / options.groups - options.group * records / options.groups;
}

class RecordOrder {
 public:
  // `records` is the size of the store. Throws ConfigError("", ...) if a group gets no record.
  RecordOrder(const OrderOptions& options, int64_t records);

  // Returns the record at `position` >= 0. Rising positions are cheap; going back to another epoch
  // draws its order again.
  int64_t At(int64_t position);

  int64_t epoch_size() const { return end_ - begin_; }

 private:
  void Draw(int64_t epoch);

  OrderOptions options_;
  int64_t records_, begin_, end_;
  int64_t skip_ = 0;
  int64_t epoch_ = -1;          // epoch of order_
  std::vector<int64_t> order_;  // empty without shuffle
};

}  // namespace singa
