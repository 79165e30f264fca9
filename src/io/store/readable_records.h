// A store without the records of another one that cannot be read.
#pragma once

#include <memory>
#include <vector>

#include "io/store/store.h"

namespace singa {

struct ReadableOptions {
  int64_t max_bad = 0;
  bool same_shape = false;          // all records must have one shape: that of the first good one,
  std::vector<int32_t> shape = {};  // or this one, if it is not empty
};

// Reads every record of `judge` once, names the bad ones on stderr, and gives the others of
// `store`, in order. Bad is what RecordShape throws a DataError for, or what has another shape.
// `judge` has the same records as `store`, or is it; perhaps decoded ones of files that `store`
// keeps. Throws what is wrong with the first bad record beyond max_bad, exit code 65; DataError
// where none is left; FileError.
std::unique_ptr<Store> LeaveOutBadRecords(std::unique_ptr<Store> store, Store* judge,
                                          const ReadableOptions& options);

}  // namespace singa
