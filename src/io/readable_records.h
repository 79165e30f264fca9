// A store without the records of another one that cannot be read.
#pragma once

#include <memory>

#include "io/store.h"

namespace singa {

// Reads every record once, names the bad ones on stderr, and gives the others, in order. Throws the
// DataError of the first bad record beyond `max_bad`, or where none is left; FileError.
std::unique_ptr<Store> LeaveOutBadRecords(std::unique_ptr<Store> store, int64_t max_bad);

}  // namespace singa
