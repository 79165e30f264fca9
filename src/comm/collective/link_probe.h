// Measures a RankLink.
#pragma once

#include <cstdint>

#include "comm/collective/rank_link.h"

namespace singa {

// Milliseconds of a sum over the ranks: of one number, and of all.
struct SumTimes {
  double latency_ms = 0, ms = 0;
};

// Measures sums of `floats` numbers over the ranks. It sends at most 2^20 of them and scales the
// time to `floats`. All ranks call it at the same time. Throws as RankLink does.
SumTimes MeasureSum(RankLink* link, int64_t floats);

}  // namespace singa
