// SkippedRecords: the bad records of a store that a reader has skipped so far.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "io/reader/batch_decoder.h"

namespace singa {

class SkippedRecords {
 public:
  // `most` of them are allowed.
  explicit SkippedRecords(int64_t most) : most_(most) {}

  // Warns of each new one, of the first few by name. Throws DataError, again and again, where
  // they become too many. `beside`: records that another store of the phase has as bad, which are
  // skipped here, too; they are neither named nor counted.
  void Add(const BadRecords& found, const std::set<int64_t>& beside = {});

  // Rising.
  std::vector<int64_t> list() const { return {records_.begin(), records_.end()}; }
  // Those that an earlier run has warned of.
  void Restore(const std::vector<int64_t>& records);

  // The record that was read in the place of `index`, of a store of `records`.
  int64_t StandIn(int64_t index, int64_t records) const;

 private:
  void Warn(const std::string& text);

  const int64_t most_;
  std::set<int64_t> records_, beside_;
  int warnings_ = 0;
};

}  // namespace singa
