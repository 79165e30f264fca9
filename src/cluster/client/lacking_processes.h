// LackingProcesses is the answer of a worker group's processes to the question whether they have a
// loss or gradient that is not finite. They ask it at the end of each step with on_nonfinite:
// kSkip.
#pragma once

#include <cstdint>
#include <string>

#include "comm/collective/link_collective.h"
#include "singa/base/str_cat.h"
#include "train/apply/not_finite.h"

namespace singa {

struct LackingProcesses {
  int count = 0;
  int rank = -1;  // of the one process, among those of the group; -1: there are none, or several

  explicit operator bool() const { return count > 0; }
  // Returns ", in process 1". `first`: the first process of the group.
  std::string Text(int first) const {
    return count > 1 ? StrCat(", in ", count, " processes")
                     : PlaceText({.process = count == 1 ? first + rank : -1});
  }
};

// All processes of the group call it. `lacks`: this one has such a loss or gradient. One number
// travels: the sum of 1 + rank / 2^32 over those that lack one. It is exact for 1024 processes.
inline LackingProcesses AskWhoLacks(LinkCollective* between, bool lacks) {
  constexpr double kMostRanks = int64_t{1} << 32;
  double sum = lacks ? 1 + between->rank() / kMostRanks : 0;
  between->AllReduceOfRanks({&sum, 1});
  const int count = static_cast<int>(sum);
  return {.count = count, .rank = count == 1 ? static_cast<int>((sum - 1) * kMostRanks) : -1};
}

}  // namespace singa
