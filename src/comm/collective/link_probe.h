// Measures a RankLink.
#pragma once

#include <cstdint>

#include "comm/collective/rank_link.h"

namespace singa {

// Returns the milliseconds that a sum of `floats` numbers over the ranks takes. It sends at most
// 2^20 of them and scales the time to `floats`. All ranks call it at the same time. Throws as
// RankLink does.
double MsOfSum(RankLink* link, int64_t floats);

}  // namespace singa
