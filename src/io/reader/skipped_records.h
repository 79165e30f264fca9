// SkippedRecords holds the bad records of a store that a reader has skipped so far.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "io/reader/batch_decoder.h"

namespace singa {

class SkippedRecords {
 public:
  // Allows `most` bad records.
  explicit SkippedRecords(int64_t most) : most_(most) {}

  // Adds bad records. Warns of each new one, and names the first few. Throws DataError, at each
  // call, if there are too many. `beside` holds records that are bad in another store of the phase.
  // They are skipped here, too, but neither named nor counted.
  void Add(const BadRecords& found, const std::set<int64_t>& beside = {});

  // Returns the bad records in rising order.
  std::vector<int64_t> list() const { return {records_.begin(), records_.end()}; }
  // Sets the bad records that an earlier run has warned of.
  void Restore(const std::vector<int64_t>& records);

  // Returns the record that replaces `index` in a store of `records` records.
  int64_t StandIn(int64_t index, int64_t records) const;

 private:
  void Warn(const std::string& text);

  const int64_t most_;
  std::set<int64_t> records_, beside_;
  int warnings_ = 0;
};

}  // namespace singa
