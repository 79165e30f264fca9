// The first tags of the users of one RankLink. Two users have no tag in common: each has
// 2^kUserShift tags. LinkCollective's operations on the link itself begin at 0.
//
// MPI's tags have fewer bits. MpiLink gives each user a communicator, in which the user's tags
// repeat. A user whose tags under way may lie far apart says how far, by RankLink::Reserve.
#pragma once

#include <cstdint>

namespace singa {

inline constexpr int kUserShift = 60;
inline constexpr int64_t kProbeTags = int64_t{1} << kUserShift;       // MeasureSum
inline constexpr int64_t kThinMatrixTags = int64_t{2} << kUserShift;  // LowRankSums
inline constexpr int64_t kGradientTags = int64_t{3} << kUserShift;    // RankSums, PartialUpdates
inline constexpr int64_t kRegionTags = int64_t{4} << kUserShift;      // LinkExchange
inline constexpr int kTagUsers = 5;

}  // namespace singa
