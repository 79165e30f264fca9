// SkipBadRecords leaves out the bad records of a source, as on_bad_record: kSkip asks.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/predict/record_source.h"

namespace singa {

struct BadRecordCount {
  int64_t most = 0;  // that may be left out; 0: none, the first one is an error
  int64_t count = 0;
};

// Warns of each bad record and counts it in `bad`, which several sources may share and which must
// outlive them. Next throws DataError if there are more than bad->most.
std::unique_ptr<RecordSource> SkipBadRecords(std::unique_ptr<RecordSource> source,
                                             BadRecordCount* bad);

}  // namespace singa
