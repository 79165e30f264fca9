// Measures a RankLink.
#pragma once

#include <cstdint>

#include "comm/collective/rank_link.h"

namespace singa {

// Returns the milliseconds that a sum of `floats` numbers over the ranks takes. Of many numbers
// only some are sent, and the time is that of all. All ranks call it at the same time. Throws as
// RankLink does.
double MsOfSum(RankLink* link, int64_t floats);

}  // namespace singa
