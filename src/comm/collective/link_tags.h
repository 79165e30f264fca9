// The tags of the users of one RankLink, which must not meet. LinkCollective's operations on the
// link itself begin at 0, and each user below has all tags up to the next one's. MPI's tags have
// fewer bits, and repeat; two messages with the same tag arrive in the order in which they were
// sent.
#pragma once

#include <cstdint>

namespace singa {

inline constexpr int64_t kProbeTags = int64_t{1} << 59;       // MeasureSum
inline constexpr int64_t kThinMatrixTags = int64_t{1} << 60;  // LowRankSums
inline constexpr int64_t kGradientTags = int64_t{1} << 61;    // RankSums, or PartialUpdates
inline constexpr int64_t kRegionTags = int64_t{1} << 62;      // LinkExchange

}  // namespace singa
