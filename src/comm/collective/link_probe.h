// Measures a RankLink.
#pragma once

#include <cstdint>

#include "comm/collective/rank_link.h"

namespace singa {

// The messages of a large sum that wait for each other: to the rank that adds up, and back.
inline constexpr int kMessagesOfSum = 2;

struct SumTimes {
  double message_ms = 0;  // a message that is waited for, whatever its size
  double ms = 0;          // a sum over the ranks, with kMessagesOfSum of these
};

// Measures sums of `floats` numbers over the ranks. It sends at most 2^20 of them and scales the
// time to `floats`. All ranks call it at the same time. Returns zeros if nothing is sent. Throws as
// RankLink does.
SumTimes MeasureSum(RankLink* link, int64_t floats);

}  // namespace singa
