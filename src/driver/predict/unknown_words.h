// WarnOfUnknownWords tells the user of words in a table that the job does not list.
#pragma once

#include <memory>

#include "driver/predict/record_source.h"

namespace singa {

// Returns `source`, which then warns once of each column with such words: after the last record, or
// when it is destroyed.
std::unique_ptr<RecordSource> WarnOfUnknownWords(std::unique_ptr<RecordSource> source);

}  // namespace singa
