// LeaveOutBadRecords gives a store without the records that cannot be read.
#pragma once

#include <memory>
#include <vector>

#include "io/store/store.h"

namespace singa {

struct ReadableOptions {
  int64_t max_bad = 0;
  bool same_shape = false;          // all records must have one shape: the first good record's,
  std::vector<int32_t> shape = {};  // or this one, if it is not empty
};

// Reads each record of `judge` once and names the bad ones on stderr. Returns the other records of
// `store`, in order. A record is bad if RecordShape throws DataError or its shape differs. `judge`
// is `store`, or has the same records, such as decoded pictures of `store`'s files. Throws the
// error of the first bad record beyond max_bad (exit code 65), DataError if no record is left, and
// FileError.
std::unique_ptr<Store> LeaveOutBadRecords(std::unique_ptr<Store> store, Store* judge,
                                          const ReadableOptions& options);

}  // namespace singa
