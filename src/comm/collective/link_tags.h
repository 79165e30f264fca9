// The first tags of the users of one RankLink. Two users have no tag in common: each has the tags
// up to the next user's first one. LinkCollective's operations on the link itself begin at 0.
//
// MPI's tags have fewer bits, and repeat, also from one user to another. Messages with the same tag
// arrive in the order in which they were sent. Users of one MpiLink therefore take turns, in the
// same order on both sides. Regions have an MpiLink of their own.
#pragma once

#include <cstdint>

namespace singa {

inline constexpr int64_t kProbeTags = int64_t{1} << 59;       // MeasureSum
inline constexpr int64_t kThinMatrixTags = int64_t{1} << 60;  // LowRankSums
inline constexpr int64_t kGradientTags = int64_t{1} << 61;    // RankSums, or PartialUpdates
inline constexpr int64_t kRegionTags = int64_t{1} << 62;      // LinkExchange

}  // namespace singa
